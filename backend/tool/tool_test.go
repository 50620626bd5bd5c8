package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/tool"
)

type findIn struct {
	Name  string   `json:"name" jsonschema:"what to find"`
	Limit int      `json:"limit,omitempty"`
	Deep  bool     `json:"deep,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Edits []struct {
		Old string `json:"old"`
	} `json:"edits,omitempty"`
}

func (in findIn) Action() string { return "finding " + in.Name }

func (in findIn) Check() error {
	if in.Limit < 0 {
		return errors.New("limit is below 0")
	}
	return nil
}

func find(reads bool) tool.Tool {
	return tool.New(tool.Spec{Name: "find", Aliases: []string{"search"}, Reads: reads, Arguments: map[string]string{"pattern": "name"}},
		func(_ context.Context, _ tool.Env, in findIn) tool.Result {
			b, _ := json.Marshal(in)
			return tool.Text(string(b))
		})
}

func TestSchemaIsMadeFromTheType(t *testing.T) {
	var s struct {
		Type       string                     `json:"type"`
		Required   []string                   `json:"required"`
		Additional any                        `json:"additionalProperties"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(find(true).Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "object" || len(s.Required) != 1 || s.Required[0] != "name" || len(s.Properties) != 5 || s.Additional == nil {
		t.Errorf("schema %s", find(true).Schema())
	}
	if !strings.Contains(string(s.Properties["name"]), "what to find") {
		t.Errorf("the description is missing: %s", s.Properties["name"])
	}
}

func TestPrepare(t *testing.T) {
	for _, c := range []struct {
		name, tool, args string
		want             string // the tool's arguments; "" for an error
		problem          string // a part of the error
	}{
		{"as it should be", "find", `{"name":"a","limit":3,"deep":true}`, `{"name":"a","limit":3,"deep":true}`, ""},
		{"another name of the tool", "search", `{"name":"a"}`, `{"name":"a"}`, ""},
		{"another name of an argument", "find", `{"pattern":"a"}`, `{"name":"a"}`, ""},
		{"the right name wins", "find", `{"pattern":"b","name":"a"}`, `{"name":"a"}`, ""},
		{"null for an optional argument", "find", `{"name":"a","limit":null,"tags":null}`, `{"name":"a"}`, ""},
		{"numbers and booleans in quotes", "find", `{"name":"a","limit":"3","deep":"true"}`, `{"name":"a","limit":3,"deep":true}`, ""},
		{"a number for a string", "find", `{"name":42}`, `{"name":"42"}`, ""},
		{"one string for a list", "find", `{"name":"a","tags":"x"}`, `{"name":"a","tags":["x"]}`, ""},
		{"a list inside a string", "find", `{"name":"a","tags":"[\"x\",\"y\"]"}`, `{"name":"a","tags":["x","y"]}`, ""},
		{"broken JSON", "find", `{"name": 'a', limit: 2,`, `{"name":"a","limit":2}`, ""},
		{"a fence", "find", "```json\n{\"name\":\"a\"}\n```", `{"name":"a"}`, ""},
		{"characters that HTML escapes", "find", `{"name":"<a&b>"}`, `{"name":"\u003ca\u0026b\u003e"}`, ""},

		{"no such tool", "fly", `{}`, "", `there is no tool named "fly"; the tools are find`},
		{"missing", "find", `{}`, "", `argument "name" is missing. The arguments are name (string), limit (integer, optional)`},
		{"no arguments at all", "find", ``, "", `argument "name" is missing`},
		{"unknown", "find", `{"name":"a","colour":1}`, "", `unknown argument "colour"`},
		{"wrong type", "find", `{"name":"a","limit":"many"}`, "", `argument "limit" must be integer, not "many"`},
		{"wrong inside", "find", `{"name":"a","edits":[{"new":"x"}]}`, "", `edits`},
		{"refused by the tool", "find", `{"name":"a","limit":-1}`, "", `find: limit is below 0`},
		{"null where it must not be", "find", `{"name":null}`, "", `argument "name" must be string, not null`},
		{"no object in it", "find", `hello`, "", `not a JSON object`},
		{"a list", "find", `[1]`, "", `not a JSON object`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tool.NewRegistry(find(true))
			call, err := r.Prepare(c.tool, c.args)
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("error %v, want %q", err, c.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := tool.Run(t.Context(), tool.Env{}, call); got.Content != c.want || got.IsError {
				t.Errorf("got %+v, want %s", got, c.want)
			}
		})
	}
}

func TestWhatChangesNeverRunsOnAGuess(t *testing.T) {
	r := tool.NewRegistry(find(false))
	for _, args := range []string{`{"name":"a"`, `{name:"a"}`, `{"name":"a"} trailing`, `{"name":"a"}{"name":"b"}`} {
		if _, err := r.Prepare("find", args); err == nil || !strings.Contains(err.Error(), "nothing was done") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// A tool that is kept from an agent is named with the reason, under each of its names.
func TestWithout(t *testing.T) {
	kept := tool.New(tool.Spec{Name: "write", Aliases: []string{"put"}}, func(context.Context, tool.Env, struct{}) tool.Result { return tool.Text("done") })
	r := tool.NewRegistry().Without("a reviewer does not write", kept)
	for _, name := range []string{"write", "put"} {
		if _, err := r.Prepare(name, "{}"); err == nil || !strings.Contains(err.Error(), "a reviewer does not write") {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := r.Get(name); ok {
			t.Errorf("%s is there", name)
		}
	}
	if _, lacks := r.Lacks("other"); lacks || len(r.All()) != 0 {
		t.Error("it reports others as missing")
	}
	if why, _ := r.Without("nobody is here", find(true)).Lacks("put"); why != "a reviewer does not write" {
		t.Errorf("an earlier reason became %q", why)
	}
}

func TestNilRegistryHasNoTools(t *testing.T) {
	var r *tool.Registry
	if _, err := r.Prepare("find", "{}"); err == nil || r.All() != nil {
		t.Errorf("error %v, tools %v", err, r.All())
	}
}

func TestActionIsInWordsOfTheTool(t *testing.T) {
	call, err := tool.NewRegistry(find(true)).Prepare("find", `{"name":"a"}`)
	if err != nil || call.Action != "finding a" {
		t.Errorf("%q, %v", call.Action, err)
	}
}

func TestCrashIsAResult(t *testing.T) {
	boom := tool.New(tool.Spec{Name: "boom"}, func(context.Context, tool.Env, struct{}) tool.Result {
		var m map[string]int
		m["x"] = 1 //lint:ignore SA5000 it is to crash
		return tool.Text("")
	})
	call, err := tool.NewRegistry(boom).Prepare("boom", "{}")
	if err != nil {
		t.Fatal(err)
	}
	if res := tool.Run(t.Context(), tool.Env{}, call); !res.IsError || !strings.Contains(res.Content, "boom crashed: assignment to entry in nil map") {
		t.Errorf("%+v", res)
	}
}

func say(t *testing.T, env tool.Env, text string) string {
	t.Helper()
	echo := tool.New(tool.Spec{Name: "echo"}, func(context.Context, tool.Env, struct{}) tool.Result { return tool.Text(text) })
	call, err := tool.NewRegistry(echo).Prepare("echo", "{}")
	if err != nil {
		t.Fatal(err)
	}
	return tool.Run(t.Context(), env, call).Content
}

func TestLongOutputGoesToAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scratch") // made when it is needed
	text := strings.Repeat("line\n", 3000)
	got := say(t, tool.Env{Scratch: dir}, text)
	if !strings.HasPrefix(got, "line\n") || !strings.Contains(got, "9999 of 15000 bytes and 2000 of 3000 lines are shown") {
		t.Errorf("...%s", got[len(got)-200:])
	}
	_, after, _ := strings.Cut(got, "All of it is in ")
	file, _, _ := strings.Cut(after, ": read it")
	b, err := os.ReadFile(file)
	if err != nil || string(b) != text {
		t.Errorf("the file holds %d bytes, %v", len(b), err)
	}
	if filepath.Dir(file) != dir {
		t.Errorf("the file is %s, not in %s", file, dir)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

func TestLongOutputWithoutAPlaceIsCut(t *testing.T) {
	got := say(t, tool.Env{}, strings.Repeat("é", 40000))
	if !strings.Contains(got, "[Output cut: 32768 of 80000 bytes and 1 of 1 lines are shown. Ask for less at a time.]") {
		t.Errorf("...%s", got[len(got)-200:])
	}
	got = say(t, tool.Env{Limit: tool.Limit{Lines: 2}}, "a\nb\nc\nd")
	if !strings.HasPrefix(got, "a\nb\n\n[Output cut: 3 of 7 bytes and 2 of 4 lines") {
		t.Error(got)
	}
}

func TestShortOutputIsUntouched(t *testing.T) {
	for _, s := range []string{"", "a", "a\n", strings.Repeat("x", 32<<10), strings.Repeat("\n", 2000)} {
		if got := say(t, tool.Env{}, s); got != s {
			t.Errorf("%d bytes became %d", len(s), len(got))
		}
	}
	if got := say(t, tool.Env{}, "a\xffb"); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}

// Where the rest cannot be kept (a full disk, a place that is not a folder), the
// beginning is still shown, and why the rest is gone.
func TestLongOutputThatCannotBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := say(t, tool.Env{Scratch: file}, strings.Repeat("line\n", 3000))
	if !strings.HasPrefix(got, "line\n") || !strings.Contains(got, "The rest could not be kept: ") {
		t.Errorf("...%s", got[len(got)-200:])
	}
}
