package cli_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPreprocess(t *testing.T) {
	out, errs, status := call(t, "@{ifdef A}yes {{A}}@{else}no@{endif}@{if B IS \"x y\"}!@{endif}", nil, "preprocess", "-D", "A=1", "-D", "B=x y")
	if out != "yes {{A}}!" || errs != "" || status != 0 {
		t.Errorf("%q, %q, %d", out, errs, status)
	}
	out, _, _ = call(t, "@{define X, \"1\"}\n@{nonsense}", nil, "preprocess", "--json", "-")
	var v struct {
		Result   string
		Warnings []struct {
			Line int
			Text string
		}
		Macros map[string]string
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || v.Result != "@{nonsense}" || len(v.Warnings) != 1 || v.Warnings[0].Line != 2 || v.Macros["X"] != "1" {
		t.Errorf("%v in %s", err, out)
	}
	if out, _, _ := call(t, "plain", nil, "preprocess", "--json"); !strings.Contains(out, `"warnings": []`) || !strings.Contains(out, `"macros": {}`) {
		t.Errorf("got %s", out)
	}
	if _, errs, status := call(t, "", nil, "preprocess", "-D", "1x=2"); status != 2 || !strings.Contains(errs, "NAME=VALUE") {
		t.Errorf("status %d, %q", status, errs)
	}
	if _, errs, status := call(t, "", nil, "preprocess", "/no/such/file"); status != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q", status, errs)
	}
}

// Vectors of references that need no tool made for tests go through the command line.
func TestAssembleVectors(t *testing.T) {
	var cases []struct {
		ID, Fn, Mode, Text string
		EngineText         bool
		Files              map[string]json.RawMessage
		AllowedURIs        []string
		Macros             map[string]string
		Result             struct {
			Content string
			Items   []struct{ Type, Key, Content string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "../assemble/testdata/references.json")), &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		whole, _ := json.Marshal(c)
		if c.Fn != "assembleDocument" || strings.ContainsAny(c.Text, "{") ||
			c.EngineText || len(c.Macros) > 0 || strings.Contains(c.Result.Content, "Error") || strings.Contains(c.Result.Content, "ECHO") || strings.Contains(c.Text, "missing") || strings.Contains(string(whole), "symlink") ||
			len(c.AllowedURIs) != 1 || c.AllowedURIs[0] != "${WS}" {
			continue // package assemble runs all of them; here are those without tools and failures
		}
		ran++
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for name, raw := range c.Files {
			if strings.HasSuffix(name, "/") {
				os.MkdirAll(filepath.Join(dir, name), 0o755)
				continue
			}
			var text string
			if json.Unmarshal(raw, &text) != nil {
				var b struct{ Base64 string }
				json.Unmarshal(raw, &b)
				decoded, _ := base64.StdEncoding.DecodeString(b.Base64)
				text = string(decoded)
			}
			write(t, dir, name, strings.ReplaceAll(text, "${WS}", dir))
		}
		args := []string{"assemble", "--json", "--trust", "--workspace", dir}
		if c.Mode == "APPEND" {
			args = append(args, "--append")
		}
		out, errs, status := call(t, strings.ReplaceAll(c.Text, "${WS}", dir), nil, args...)
		var got struct {
			Content string
			Params  []string
			Items   []struct{ Type, Key, Content string }
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
			t.Errorf("%s: status %d, %v, %s", c.ID, status, err, errs)
			continue
		}
		if want := strings.ReplaceAll(c.Result.Content, "${WS}", dir); got.Content != want || len(got.Items) != len(c.Result.Items) || got.Params == nil {
			t.Errorf("%s: got %q with %d items, want %q with %d", c.ID, got.Content, len(got.Items), want, len(c.Result.Items))
		}
	}
	if ran < 20 {
		t.Errorf("only %d vectors ran", ran)
	}
}

func TestAssembleWithoutTrustLeavesToolCallsInert(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "doc.md", "Files: @[ls{\"uri\":\".\"}]")
	out, errs, status := call(t, "", nil, "assemble", "--workspace", dir, file)
	if status != 0 || strings.Contains(out, "[FILE]") || !strings.Contains(errs, "not trusted") || strings.Count(errs, "\n") != 1 {
		t.Errorf("%q, %q, %d", out, errs, status)
	}
	out, errs, _ = call(t, "", nil, "assemble", "--workspace", dir, "--trust", file)
	if !strings.Contains(out, "[FILE] doc.md") || errs != "" {
		t.Errorf("%q, %q", out, errs)
	}
}

type builtContext struct {
	Messages []struct {
		Role    string
		Content any
	}
	AllowedUris []string
	IsSubAgent  bool
	Metadata    struct{ MacroContext map[string]string }
	Parts       []struct {
		Kind, Source  string
		Bytes, Tokens int
	}
	Warnings []any
}

func TestContext(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".mutsumi/rules/r.md", "Rule {{REGION}}.")
	write(t, dir, "a.txt", "one\ntwo\n")
	file := write(t, dir, ".mutsumi/n.mtm", strings.Replace(strings.Replace(empty, "/ws", dir, 1), `"context": []`,
		`"context": [{"role": "user", "content": "first @[a.txt:1]"}, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "#define REGION eu\nsecond"}]`, 1))
	before := read(t, file)
	run := func(args ...string) builtContext {
		t.Helper()
		out, errs, status := call(t, "", nil, append([]string{"context", file, "--json"}, args...)...)
		var v builtContext
		if err := json.Unmarshal([]byte(out), &v); err != nil || status != 0 {
			t.Fatalf("%v: status %d, %s, %v in %s", args, status, errs, err, out)
		}
		return v
	}
	v := run("--trust")
	last, _ := v.Messages[len(v.Messages)-1].Content.(string)
	if len(v.Messages) != 4 || v.Messages[0].Role != "system" || !strings.HasPrefix(last, "second\n\n<content_reference>\n{\"rules\":[") ||
		!strings.Contains(last, "Rule eu.") || !strings.Contains(last, `"a.txt:1":"one"`) || v.Metadata.MacroContext["REGION"] != "eu" {
		t.Errorf("got %+v", v)
	}
	for _, p := range v.Parts {
		if p.Kind == "" || p.Tokens == 0 && p.Bytes > 8 {
			t.Errorf("part %+v", p)
		}
	}
	if v := run("--trust", "--cell", "0"); len(v.Messages) != 2 {
		t.Errorf("cell 0: %d messages", len(v.Messages))
	}
	if v := run("--trust", "--prompt", "third"); len(v.Messages) != 5 {
		t.Errorf("a new prompt: %d messages", len(v.Messages))
	}
	if v := run("--trust", "--cell", "0", "--prompt", "other"); !strings.HasPrefix(v.Messages[1].Content.(string), "other") {
		t.Errorf("another text: %+v", v.Messages)
	}
	out, errs, status := call(t, "", nil, "context", file, "--json")
	if status != 0 || strings.Contains(out, "Rule eu") || !strings.Contains(errs, "not trusted") || strings.Count(errs, "\n") != 1 {
		t.Errorf("without trust: %d, %q\n%s", status, errs, out)
	}
	if _, errs, status := call(t, "", nil, "context", file, "--cell", "9"); status != 1 || !strings.Contains(errs, "cell 9") {
		t.Errorf("%d, %q", status, errs)
	}
	if out, _, status := call(t, "piped", nil, "context", file, "--prompt", "-"); status != 0 || !strings.Contains(out, "--- user\npiped") {
		t.Errorf("%d, %q", status, out)
	}
	if read(t, file) != before {
		t.Error("looking at the context changed the notebook")
	}
}
