package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte(`{"mcpServers": {
		"web": {"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
		"files": {"command": "npx", "args": ["-y", "a server"], "env": {"KEY": "${keyring:files}"}, "more": 1},
		"off": {"command": "x", "disabled": true}
	}}`), Folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []Server{
		{Name: "files", From: Folder, Command: "npx", Args: []string{"-y", "a server"}, Env: map[string]string{"KEY": "${keyring:files}"}},
		{Name: "web", From: Folder, URL: "https://example.org/mcp", Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if line := got[0].Line(); line != "npx -y 'a server'" {
		t.Error(line)
	}
}

func TestProblems(t *testing.T) {
	for in, want := range map[string]string{
		`{"command": "a", "url": "https://b"}`:             "keep one of them",
		`{}`:                                               "neither",
		`{"type": "sse", "url": "https://b"}`:              "set `type` to `http`",
		`{"url": "file:///etc/passwd"}`:                    "not an address",
		`{"url": "https://user:word@host/"}`:               "not an address",
		`{"command": 5}`:                                   "`command` is number",
		`{"command": "a", "args": "b"}`:                    "`args` is string",
		`{"command": "a", "env": {"A=B": "c"}}`:            "too long, or not a text",
		`{"command": "a", "args": ["a\u0000b"]}`:           "too long, or not a text",
		`{"command": "` + strings.Repeat("a", 9000) + `"}`: "too long",
	} {
		got, err := Parse([]byte(`{"mcpServers": {"s": `+in+`}}`), Folder)
		if err != nil || len(got) != 1 || !strings.Contains(got[0].Problem, want) {
			t.Errorf("%s: %+v %v", in, got, err)
		}
	}
	if got, _ := Parse([]byte(`{"mcpServers": {"a\u202eb": {"command": "x"}}}`), Folder); len(got) != 1 || got[0].Problem == "" {
		t.Errorf("%+v", got)
	}
	if _, err := Parse([]byte("{\n\"mcpServers\": {\n}]"), Folder); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Error(err)
	}
	if _, err := Parse([]byte(`{"mcpServers": {`+strings.TrimSuffix(many(101), ",")+`}}`), Folder); err == nil {
		t.Error("101 servers were accepted")
	}
}

// Scopes may be a list, or a text as Claude writes it.
func TestScopes(t *testing.T) {
	for in, want := range map[string]Scopes{`["a", "b"]`: {"a", "b"}, `"a  b"`: {"a", "b"}, `""`: {}, `null`: nil} {
		got, err := Parse([]byte(`{"mcpServers": {"s": {"url": "https://b", "oauth": {"clientId": "c", "scopes": `+in+`}}}}`), Folder)
		if err != nil || len(got) != 1 || got[0].Problem != "" || !slices.Equal(got[0].OAuth.Scopes, want) {
			t.Errorf("%s: %+v %v", in, got, err)
		}
	}
	if got, _ := Parse([]byte(`{"mcpServers": {"s": {"url": "https://b", "oauth": {"scopes": 5}}}}`), Folder); len(got) != 1 || got[0].Problem == "" {
		t.Errorf("%+v", got)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"s` + strings.Repeat("x", i) + `": {"command": "x"},`)
	}
	return b.String()
}

func TestExpand(t *testing.T) {
	look := Lookup{
		Env: func(name string) (string, bool) {
			v, ok := map[string]string{"A": "1", "EMPTY": ""}[name]
			return v, ok
		},
		Keyring: func(name string) (string, error) {
			if name == "k" {
				return "secret", nil
			}
			return "", errors.New("no such key")
		},
	}
	s := Server{Command: "${A}/x", Args: []string{"${env:A}${A:-2}", "${EMPTY:-3}", "${B:-}", "$A ${unclosed"}, Env: map[string]string{"K": "${keyring:k}"}}
	got, err := s.Expand(look)
	if err != nil || got.Command != "1/x" || !reflect.DeepEqual(got.Args, []string{"11", "3", "", "$A ${unclosed"}) || got.Env["K"] != "secret" {
		t.Errorf("%+v %v", got, err)
	}
	if s.Args[0] != "${env:A}${A:-2}" || s.Env["K"] != "${keyring:k}" {
		t.Error("the server itself was changed")
	}
	for _, bad := range []Server{
		{Command: "${B}"}, {Command: "a", Env: map[string]string{"X": "${keyring:none}"}},
		{URL: "${A}"}, {URL: "https://a", Headers: map[string]string{"X": "${NL}"}},
	} {
		look.Env = func(name string) (string, bool) {
			v, ok := map[string]string{"A": "1", "NL": "a\r\nHost: b"}[name]
			return v, ok
		}
		if got, err := bad.Expand(look); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %+v %v", bad, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"command": "x", "args": ["${A}"]}}}`))
	f.Add([]byte(`{"mcpServers": {"": null, "b": [], "c": {"url": "http://${A}"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Parse(data, Folder)
		if err != nil && all != nil {
			t.Fatal("got servers together with an error")
		}
		for _, s := range all {
			if s.Problem == "" && (s.Command == "") == (s.URL == "") {
				t.Fatalf("%+v", s)
			}
			s.Line()
			s.Expand(Lookup{})
		}
	})
}
