package prompt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/prompt"
	"mutsumi/backend/ref"
	"mutsumi/backend/rules"
)

// blockOf reads the content reference block of a result back.
func blockOf(t *testing.T, out prompt.Result) (b struct {
	Rules []struct{ Name, Content string }
	Files map[string]string
}) {
	t.Helper()
	text := out.Messages[len(out.Messages)-1].Content.String()
	_, text, ok := strings.Cut(text, "\n\n<content_reference>\n")
	if !ok {
		return b
	}
	text, rest, ok := strings.Cut(text, "\n</content_reference>")
	if !ok || rest != "" {
		t.Fatalf("the block does not end the message: %q", rest)
	}
	must(t, json.Unmarshal([]byte(text), &b))
	return b
}

// Every text of the "big list of naughty strings" comes through unchanged as
// prompt, as macro value, as rule, and as the name and content of a file.
func TestNaughtyStrings(t *testing.T) {
	raw, err := os.ReadFile("testdata/blns/blns.json")
	must(t, err)
	var list []string
	must(t, json.Unmarshal(raw, &list))
	if len(list) < 400 {
		t.Fatalf("only %d texts", len(list))
	}
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	ruleFile := filepath.Join(rules.Folder(ws), "r.md")
	must(t, os.MkdirAll(filepath.Dir(ruleFile), 0o755))
	named := 0
	for _, s := range list {
		in := prompt.Input{Workspace: ws, Trusted: true, Now: time.Unix(0, 0), Rules: []rules.Rule{{Name: "r.md", Path: ruleFile}}}
		build := func() prompt.Result {
			t.Helper()
			out, err := prompt.Build(t.Context(), in)
			must(t, err)
			return out
		}
		must(t, os.WriteFile(ruleFile, []byte("|"+s+"|"), 0o644))

		in.Prompt = chat.Text(s)
		out := build()
		got, _, _ := strings.Cut(out.Messages[1].Content.String(), "\n\n<content_reference>\n")
		if got != s {
			t.Errorf("prompt %q became %q", s, got)
		}
		// One of them contains a reference by accident, `@[/|\]`: the rule reports that the file
		// does not exist (SPEC 3.6).
		if got := blockOf(t, out).Rules; len(ref.Find(s)) == 0 && (len(got) != 1 || got[0].Content != "|"+s+"|") {
			t.Errorf("rule %q became %q", s, got)
		}

		in.Meta.MacroContext = map[string]string{"X": s}
		must(t, os.WriteFile(ruleFile, []byte("<{{X}}>"), 0o644))
		in.Prompt = chat.Text("[{{X}}]")
		out = build()
		if got, _, _ := strings.Cut(out.Messages[1].Content.String(), "\n\n<content_reference>\n"); got != "["+s+"]" {
			t.Errorf("macro %q became %q", s, got)
		}
		if got := blockOf(t, out).Rules; len(got) != 1 || got[0].Content != "<"+s+">" {
			t.Errorf("macro in a rule %q became %q", s, got)
		}
		if out.Metadata.MacroContext["X"] != s {
			t.Errorf("macro %q is kept as %q", s, out.Metadata.MacroContext["X"])
		}

		if s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/\x00") || len(s) > 240 || !utf8.ValidString(s) {
			continue // no name for a file
		}
		named++
		file := filepath.Join(ws, s)
		must(t, os.WriteFile(file, []byte("|"+s+"|"), 0o644))
		in.Meta.MacroContext = nil
		written := []string{files.ToURI(file)}
		if refs := ref.Find("@[" + s + "]"); len(refs) == 1 && refs[0].Path == s && refs[0].From == 0 && refs[0].Problem == "" && !strings.HasPrefix(s, "~") {
			written = append(written, s)
		}
		for _, key := range written {
			in.Prompt = chat.Text("@[" + key + "]")
			if got := blockOf(t, build()).Files[key]; got != "|"+s+"|" {
				t.Errorf("file %q, written %q, became %q", s, key, got)
			}
		}
		must(t, os.Remove(file))
	}
	if named < 200 {
		t.Errorf("only %d texts could be names of files", named)
	}
}
