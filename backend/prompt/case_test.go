package prompt_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/prompt"
	"mutsumi/backend/rules"
)

var update = flag.Bool("update", false, "write what comes out into the cases")

// A case is an archive: a first paragraph that says what it shows and which
// lines of the specification; ws/... is the workspace, its rules included;
// notebook.json is a .mtm text whose last user message is the prompt; options
// holds lines `name value`; want/... is what must come out. ${WS} is the
// workspace. A file whose name ends in .base64 is written decoded.
func TestCases(t *testing.T) {
	list, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	if len(list) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range list {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, file) })
	}
}

// caller is the tools of the cases: echo and boom only read, write changes.
type caller struct{ ran []string }

func (c *caller) Reads(name string) (reads, known bool) {
	return name != "write", name == "echo" || name == "boom" || name == "write"
}

func (c *caller) Call(_ context.Context, name string, args json.RawMessage) (string, error) {
	c.ran = append(c.ran, name+string(args))
	if name == "boom" {
		return "", errors.New("kaboom")
	}
	return "ECHO " + string(args), nil
}

type fileMessage struct {
	chat.Message
	Metadata struct {
		Cell string      `json:"cell_id"`
		Sent prompt.Sent `json:"sent"`
	} `json:"metadata"`
}

func runCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	must(t, err)
	ws, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	options := map[string]string{}
	var notebook []byte
	want := map[string]string{}
	for _, f := range archive.Files {
		data := bytes.ReplaceAll(f.Data, []byte("${WS}"), []byte(ws))
		switch {
		case strings.HasPrefix(f.Name, "ws/"):
			p := filepath.Join(ws, strings.TrimPrefix(f.Name, "ws/"))
			if plain, ok := strings.CutSuffix(p, ".base64"); ok {
				p = plain
				data, err = base64.StdEncoding.DecodeString(strings.TrimSpace(string(data)))
				must(t, err)
			}
			must(t, os.MkdirAll(filepath.Dir(p), 0o755))
			must(t, os.WriteFile(p, data, 0o644))
		case f.Name == "notebook.json":
			notebook = data
		case f.Name == "options":
			for line := range strings.Lines(string(data)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
				options[name] = value
			}
		case strings.HasPrefix(f.Name, "want/"):
			want[f.Name] = string(f.Data)
		default:
			t.Fatalf("unknown file %s", f.Name)
		}
	}
	in, tools := readInput(t, ws, notebook, options)
	out, err := prompt.Build(t.Context(), in)
	must(t, err)
	got := map[string]string{
		"want/messages": showMessages(out.Messages), "want/warnings": showWarnings(out.Warnings),
		"want/parts": showParts(t, out), "want/saved": showSaved(t, out), "want/ran": strings.Join(tools.ran, "\n"),
	}
	changed := false
	for i, f := range archive.Files {
		g, ok := got[f.Name]
		if !ok {
			continue
		}
		if g != "" && !strings.HasSuffix(g, "\n") {
			g += "\n"
		}
		g = strings.ReplaceAll(g, ws, "${WS}")
		if g == want[f.Name] {
			continue
		}
		if *update {
			archive.Files[i].Data = []byte(g)
			changed = true
			continue
		}
		t.Errorf("%s\n--- got\n%s--- want\n%s", f.Name, g, want[f.Name])
	}
	if changed {
		must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
	checkParts(t, out)
}

func readInput(t *testing.T, ws string, notebook []byte, options map[string]string) (prompt.Input, *caller) {
	t.Helper()
	var nb struct {
		Metadata struct {
			prompt.Meta
			Macros json.RawMessage `json:"macroContext"`
			Items  json.RawMessage `json:"contextItems"`
			Off    json.RawMessage `json:"contextOff"`
		} `json:"metadata"`
		Context []fileMessage `json:"context"`
	}
	must(t, json.Unmarshal(notebook, &nb))
	meta := nb.Metadata.Meta
	meta.ReadMeta(nb.Metadata.Macros, nb.Metadata.Items, nb.Metadata.Off)
	list, err := rules.List(ws)
	must(t, err)
	tools := &caller{}
	in := prompt.Input{
		Workspace: ws, Meta: meta, Rules: list, Trusted: options["trusted"] != "no", Preview: options["preview"] == "yes",
		FromFile: options["fromFile"] == "yes", Placement: prompt.Placement(options["placement"]), RemoteImages: options["remote"] == "yes",
		Tools: tools, OS: "linux", Now: time.Date(2026, 2, 8, 9, 30, 0, 0, time.UTC), Cache: assemble.NewCache(),
	}
	last := len(nb.Context) - 1
	in.Prompt, in.Cell = nb.Context[last].Content, nb.Context[last].Metadata.Cell
	for _, m := range nb.Context[:last] {
		in.History = append(in.History, prompt.Turn{Message: m.Message, Cell: m.Metadata.Cell, Sent: m.Metadata.Sent})
	}
	return in, tools
}

// showMessages writes messages for reading: a line for each, then its text.
func showMessages(messages []chat.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "== %s", m.Role)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " calls %s%s", c.Function.Name, c.Function.Arguments)
		}
		b.WriteString("\n")
		if m.Role == chat.System && strings.HasPrefix(m.Content.Text, "You are ") {
			b.WriteString("(system message)\n")
			continue
		}
		if m.Content.Parts == nil {
			b.WriteString(m.Content.Text + "\n")
			continue
		}
		for _, p := range m.Content.Parts {
			if p.Type == chat.PartImage {
				fmt.Fprintf(&b, "-- image %.40s detail %s\n", p.ImageURL.URL, p.ImageURL.Detail)
			} else {
				fmt.Fprintf(&b, "-- text\n%s\n", p.Text)
			}
		}
	}
	return b.String()
}

func showWarnings(warnings []prompt.Warning) string {
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "%s:%d: %s\n", w.File, w.Line, w.Text)
	}
	return b.String()
}

func showParts(t *testing.T, out prompt.Result) string {
	var b strings.Builder
	for _, p := range out.Parts {
		fmt.Fprintf(&b, "%s %q message %d", p.Kind, p.Source, p.Message)
		if p.State != "" {
			fmt.Fprintf(&b, " %s", p.State)
		}
		if p.Note != "" {
			fmt.Fprintf(&b, " (%s)", p.Note)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func showSaved(t *testing.T, out prompt.Result) string {
	t.Helper()
	for i := range out.Metadata.ContextItems {
		if s := &out.Metadata.ContextItems[i]; s.SHA256 != "" {
			s.SHA256 = s.SHA256[:8]
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	must(t, e.Encode(struct {
		prompt.Saved
		Sent prompt.Sent `json:"sent"`
	}{out.Metadata, out.Sent}))
	return b.String()
}

// checkParts holds for every build (SPEC 5.7): the parts of a message cover
// all of its text, each byte once, but for the frame around the block.
func checkParts(t *testing.T, out prompt.Result) {
	t.Helper()
	type place struct{ message, piece int }
	covered := map[place]int{}
	for _, p := range out.Parts {
		if p.Message < 0 || p.Kind == prompt.KindImage {
			continue
		}
		text := pieceText(out.Messages[p.Message].Content, p.Piece)
		if p.Start < 0 || p.End > len(text) || p.Start > p.End {
			t.Errorf("part %s %q: %d to %d of %d bytes", p.Kind, p.Source, p.Start, p.End, len(text))
			continue
		}
		n := p.End - p.Start
		if p.Kind == prompt.KindFrame {
			n = p.Bytes
		}
		covered[place{p.Message, p.Piece}] += n
	}
	for i, m := range out.Messages {
		for piece := range max(1, len(m.Content.Parts)) {
			text := pieceText(m.Content, piece)
			if strings.Contains(text, "\n\n<content_reference>\n") {
				covered[place{i, piece}] += 2
			}
			if got := covered[place{i, piece}]; got != len(text) {
				t.Errorf("message %d piece %d: parts cover %d of %d bytes", i, piece, got, len(text))
			}
		}
	}
}

func pieceText(c chat.Content, piece int) string {
	if c.Parts == nil {
		return c.Text
	}
	return c.Parts[piece].Text
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
