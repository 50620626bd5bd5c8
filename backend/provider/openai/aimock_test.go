package openai_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/openai"
)

// aimock starts the independent implementation of the chat API that the
// front end's tests use too, and returns its address. Without node or its
// modules the test is skipped.
func aimock(t *testing.T) string {
	t.Helper()
	frontend, err := filepath.Abs("../../../frontend")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(frontend, "node_modules/@copilotkit/aimock")); err != nil {
		t.Skip("aimock is not installed: run npm ci in frontend/")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	script, err := filepath.Abs("testdata/aimock.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, script)
	cmd.Dir, cmd.Stderr = frontend, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // it ends with its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("aimock: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("aimock did not start: %v", err)
	}
	return strings.TrimSpace(line) + "/v1"
}

func TestAimock(t *testing.T) {
	cfg := openai.Config{Name: "aimock", BaseURL: aimock(t), Attempts: 2, FirstWait: 1, MaxRetryAfter: 1, Key: func() (string, error) { return secret, nil }}
	c := openai.New(cfg)
	for prompt, want := range map[string]struct{ text, reasoning, calls, finish, code string }{
		"plain":    {text: "Hello from another implementation.", finish: "stop"},
		"usage":    {text: "counted", finish: "stop"},
		"think":    {text: "So it is.", reasoning: "First this, then that.", finish: "stop"},
		"length":   {text: "cut", finish: "length"},
		"tools":    {calls: `ls({"uri":"."}) read_file({"uri":"a.txt"}) `, finish: "tool_calls"},
		"both":     {text: "I look.", calls: `ls({}) `, finish: "tool_calls"},
		"limit":    {code: fault.CodeRateLimited},
		"overload": {code: fault.CodeServer},
		"long":     {code: fault.CodeContextTooLong},
		"denied":   {code: fault.CodeKeyRejected},
		"torn":     {text: "This is…", code: fault.CodeStreamBroken},
		"dropped":  {code: fault.CodeUnreachable},
		"garbled":  {code: fault.CodeNotAStream},
	} {
		t.Run(prompt, func(t *testing.T) {
			var text, reasoning, finish string
			var calls []chat.ToolCall
			var usage *chat.Usage
			req := user(prompt)
			req.Tools = []provider.ToolSpec{{Name: "ls"}, {Name: "read_file"}}
			err := c.Stream(t.Context(), req, func(ch provider.Chunk) error {
				text += ch.Text
				reasoning += ch.Reasoning
				finish += ch.FinishReason
				if ch.Usage != nil {
					usage = ch.Usage
				}
				for _, d := range ch.ToolCalls {
					if d.Index == len(calls) {
						calls = append(calls, chat.ToolCall{ID: d.ID, Function: chat.Function{Name: d.Name}})
					}
					calls[d.Index].Function.Arguments += d.Arguments
				}
				return nil
			})
			if begins, ok := strings.CutSuffix(want.text, "…"); ok && strings.HasPrefix(text, begins) && len(text) < 40 {
				text = want.text // how much arrives before the end is the network's choice
			}
			all := ""
			for _, c := range calls {
				if c.ID == "" {
					t.Error("a call without an id")
				}
				all += c.Function.Name + "(" + c.Function.Arguments + ") "
			}
			if text != want.text || reasoning != want.reasoning || finish != want.finish || all != want.calls {
				t.Errorf("text %q, reasoning %q, finish %q, calls %q", text, reasoning, finish, all)
			}
			switch {
			case want.code == "" && err != nil:
				t.Error(err)
			case want.code != "":
				check(t, err, want.code, "aimock")
			case usage == nil || usage.Input == 0 || prompt == "usage" && *usage != (chat.Usage{Input: 12, Output: 5}):
				t.Errorf("usage %+v", usage)
			}
		})
	}
	list, err := c.Models(t.Context())
	if err != nil || len(list) == 0 || list[0].ID == "" {
		t.Errorf("models: %+v, %v", list, err)
	}
}
