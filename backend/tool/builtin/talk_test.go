package builtin

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
)

// call runs a tool as the loop does.
func callTool(t *testing.T, in tool.Tool, args string) (tool.Result, error) {
	t.Helper()
	c, err := tool.NewRegistry(in).Prepare(in.Name(), args)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Run(t.Context(), tool.Env{CallID: "c1"}, c), nil
}

func TestAskUser(t *testing.T) {
	var asked Question
	answer, problem := Answer{Text: "blue"}, error(nil)
	ask := askUser(func(_ context.Context, env tool.Env, q Question) (Answer, error) {
		if env.CallID != "c1" {
			t.Errorf("call %q", env.CallID)
		}
		asked = q
		return answer, problem
	})
	if !ask.Reads() || !Talks(ask.Name()) || !Talks("call_agent") || !Talks("self_fork") || Talks("read_file") {
		t.Error("it changes nothing, and is in no text")
	}
	res, err := callTool(t, ask, `{"question": " Which?\n", "choices": ["a  b", "c"], "several": true}`)
	if err != nil || res.IsError || res.Content != "The person answers: blue" || *res.Facts != (chat.CallFacts{Answer: "blue"}) || asked.Text != "Which?" || asked.Choices[0] != "a b" || !asked.Several {
		t.Errorf("%+v, %v, asked %+v", res, err, asked)
	}
	answer = Answer{Declined: true, Reason: "not now"}
	if res, _ = callTool(t, ask, `{"question": "?"}`); res.IsError || !strings.Contains(res.Content, "not now") || *res.Facts != (chat.CallFacts{Declined: true, Reason: "not now"}) {
		t.Errorf("%+v", res)
	}
	answer.Reason = ""
	if res, _ = callTool(t, ask, `{"question": "?"}`); !strings.Contains(res.Content, "does not answer") || *res.Facts != (chat.CallFacts{Declined: true}) {
		t.Errorf("%+v", res)
	}
	problem = errors.New("the program is closing")
	if res, _ = callTool(t, ask, `{"question": "?"}`); !res.IsError || !strings.Contains(res.Content, "the program is closing") {
		t.Errorf("%+v", res)
	}
	for args, want := range map[string]string{
		`{}`: "question", `{"question": " "}`: "empty", `{"question": "?", "choices": ["a", " a"]}`: "twice", `{"question": "?", "choices": [""]}`: "empty",
		`{"question": "?", "several": true}`: "several", `{"question": "?", "choices": ["` + strings.Repeat("x", 301) + `"]}`: "300",
		`{"question": "` + strings.Repeat("x", 17<<10) + `"}`: "16 KB", `{"question": "?", "choices": [` + strings.Repeat(`"x",`, 20) + `"y"]}`: "20",
	} {
		if _, err := callTool(t, ask, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", args, err)
		}
	}
}

func TestCallAgent(t *testing.T) {
	var asked Consult
	call := callAgent(func(_ context.Context, _ tool.Env, c Consult) tool.Result {
		asked = c
		return tool.Text("42")
	})
	res, err := callTool(t, call, `{"name": " Parser ", "question": "Why?", "history": "none"}`)
	if err != nil || res.Content != "42" || asked != (Consult{"Parser", "Why?", HistoryNone}) || !call.Reads() {
		t.Errorf("%+v, %v, %+v", res, err, asked)
	}
	for _, args := range []string{`{"agent": "x", "question": ""}`, `{"agent": " ", "question": "?"}`, `{"question": "?"}`} {
		if _, err := callTool(t, call, args); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}
