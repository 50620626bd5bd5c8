package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/files"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// forks makes a registry whose self_fork records what it would start.
func forks(t *testing.T, started *[]builtin.Child) *tool.Registry {
	t.Helper()
	dir := t.TempDir()
	roots, err := files.New(dir, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return tool.NewRegistry(builtin.All(builtin.Options{Roots: roots, Fork: &builtin.Fork{
		Sound: func(children []builtin.Child) error {
			for _, c := range children {
				if c.Kind == "nobody" {
					return errors.New("there is no kind nobody")
				}
			}
			return nil
		},
		Start: func(_ context.Context, _ tool.Env, children []builtin.Child) tool.Result {
			*started = children
			return tool.Text("reports")
		},
	}})...)
}

func TestSelfForkNamesTheKinds(t *testing.T) {
	for want, kinds := range map[string][]builtin.ChildKind{
		"the first if you name none:\n\n- maker: Makes things.\n- other": {{Name: "maker", About: "Makes things."}, {Name: "other"}}, "\"...\"}]}`": nil,
	} {
		tools := tool.NewRegistry(builtin.All(builtin.Options{Fork: &builtin.Fork{Kinds: kinds}})...)
		if fork, ok := tools.Get("self_fork"); !ok || !strings.HasSuffix(fork.Description(), want) {
			t.Errorf("%v: %s", kinds, fork.Description())
		}
	}
}

func TestSelfForkTakesWhatModelsWrite(t *testing.T) {
	var started []builtin.Child
	tools := forks(t, &started)
	for args, want := range map[string]string{
		`{"children":[{"name":"A","prompt":"do a"},{"name":"B","prompt":"do b","allowed_uris":["src"],"model":"p/m","kind":"reviewer","worktree":true}]}`: `[{A do a []   false} {B do b [src] p/m reviewer true}]`,
		`{"children":[{"name":null,"prompt":"x","allowed_uris":null,"model":null}]}`:                                                                      `[{Child 1 x []   false}]`,
		`{"children":{"title":"One","task":"x","uris":["a"]}}`:                                                                                            `[{One x [a]   false}]`,
		`{"agents":[{"name":" two\nlines ","instructions":"x"}]}`:                                                                                         `[{two lines x []   false}]`,
		`{"children":"[{\"name\":\"T\",\"prompt\":\"x\"}]"}`:                                                                                              `[{T x []   false}]`,
	} {
		call, err := tools.Prepare("self_fork", args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if call.Tool.Reads() {
			t.Error("it starts agents: it needs approval")
		}
		started = nil
		if res := tool.Run(t.Context(), tool.Env{}, call); res.IsError || fmt.Sprint(started) != want {
			t.Errorf("%s:\n got %v\nwant %v", args, started, want)
		}
	}
	if call, err := tools.Prepare("self_fork", `{"children":[{"prompt":"a < b","name":"Compare"}]}`); err != nil || !strings.Contains(string(call.Args), `{"prompt":"a < b","name":"Compare"}`) {
		t.Errorf("what needs no change was changed: %s, %v", call.Args, err)
	}
}

func TestSelfForkReportsMistakes(t *testing.T) {
	var started []builtin.Child
	tools := forks(t, &started)
	many := strings.Repeat(`{"name":"n","prompt":"p"},`, 21)
	for args, want := range map[string]string{
		`{}`:              `"children" is missing`,
		`{"children":[]}`: "children is empty",
		`{"children":[` + strings.TrimSuffix(many, ",") + `]}`:                        "21 children are too many",
		`{"children":[{"name":"A","prompt":"p"},{"name":"B","prompt":"  "}]}`:         "child 2 (B) has no prompt",
		`{"children":[{"name":"A"}]}`:                                                 "prompt",
		`{"children":[{"name":"A","prompt":"p","kind":"nobody"}]}`:                    "there is no kind nobody",
		`{"children":[{"name":"A","prompt":"p","color":"red"}]}`:                      "color",
		`{"children":[{"name":"` + strings.Repeat("n", 81) + `","prompt":"p"}]}`:      "81 characters",
		`{"children":[{"name":"A","prompt":"` + strings.Repeat("p", 100_001) + `"}]}`: "100001 bytes",
		`{"children":[{"name":"A","prompt":"p"}`:                                      "not a JSON object",
	} {
		if _, err := tools.Prepare("self_fork", args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %v, want %s", args, err, want)
		}
	}
	if started != nil {
		t.Error("something was started")
	}
}
