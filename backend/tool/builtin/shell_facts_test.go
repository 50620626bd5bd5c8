package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

func TestASpinnerIsOneLineForTheModel(t *testing.T) {
	x := newTerminal(t, true, nil)
	for command, want := range map[string]string{
		`printf 'a\r\033[Kb\033[1Gc\033[2K\033[Gdone\n'`:                      "done",
		`for i in 1 2 3; do printf '\033[2K\033[1Gpart %d' $i; done; echo`:    "part 3",
		`printf '\033]8;;http://x\033\\link\033]8;;\033\\ \033]52;c;eA==\a.'`: "link .",
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		if res := x.run(t, t.Context(), string(args)); res.Content != want {
			t.Errorf("%s gives %q, want %q", command, res.Content, want)
		}
	}
}

func TestTheFactsOfACommandSayHowItEndedAndKeepItsColours(t *testing.T) {
	x := newTerminal(t, true, nil)
	kept := ""
	x.shell.Keep = func(raw string) string { kept = raw; return "name" }
	for _, c := range []struct {
		command string
		want    chat.CallFacts
		kept    string
	}{
		{`echo plain`, chat.CallFacts{}, ""},
		{`printf '\033[31mred\033[0m\n'`, chat.CallFacts{Output: "name"}, "\x1b[31mred\x1b[0m\r\n"},
		{`printf 'a\n\033[31mno bed\033[0m\n'; exit 3`, chat.CallFacts{Exit: 3, Line: "no bed", Output: "name"}, "a\r\n\x1b[31mno bed\x1b[0m\r\n"},
		{`kill -TERM $$`, chat.CallFacts{Exit: 143}, ""},
	} {
		kept = ""
		args, _ := json.Marshal(map[string]string{"command": c.command})
		res := x.run(t, t.Context(), string(args))
		if got := res.Facts; got == nil && c.want != (chat.CallFacts{}) || got != nil && *got != c.want {
			t.Errorf("%s has %+v, want %+v", c.command, got, c.want)
		}
		if kept != c.kept {
			t.Errorf("%s keeps %q, want %q", c.command, kept, c.kept)
		}
		if strings.Contains(res.Content, "\x1b") {
			t.Errorf("the model gets %q", res.Content)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	x.shell.Tasks = builtin.NewTasks(func(c builtin.TaskChange) {
		if c.Task.Bytes > 0 {
			stop()
		}
	})
	if res := x.run(t, ctx, `{"command":"echo so far; sleep 1000"}`); res.Facts == nil || res.Facts.End != chat.CallStopped || kept != "so far\r\n" {
		t.Errorf("stopped: %+v, %q is kept", res.Facts, kept)
	}
	x.shell.Tasks = builtin.NewTasks(nil)
	if res := x.run(t, t.Context(), `{"command":"echo so far; sleep 1000","timeout_seconds":1}`); res.Facts == nil || res.Facts.End != "" || !strings.Contains(res.Facts.Line, "did not end within 1s") {
		t.Errorf("too late: %+v", res.Facts)
	}
}

func TestOutputIsGivenInPiecesThatCutNoCharacter(t *testing.T) {
	x := newTerminal(t, true, nil)
	if res := x.run(t, t.Context(), `{"command":"printf '\\u4f60\\u597d\\u4f60\\u597d'; sleep 1000","background":true}`); res.IsError {
		t.Fatal(res.Content)
	}
	var said string
	for from := int64(0); from < 12; {
		out, err := x.tasks.Output("t1", from, 4)
		for tries := 0; err == nil && out.Next == from && tries < 1000; tries++ { // it has not printed yet
			time.Sleep(10 * time.Millisecond)
			out, err = x.tasks.Output("t1", from, 4)
		}
		if err != nil || out.Next <= from || strings.Contains(out.Raw, "\uFFFD") {
			t.Fatalf("from %d: %+v %v", from, out, err)
		}
		said, from = said+out.Raw, out.Next
	}
	if said != "你好你好" {
		t.Errorf("got %q", said)
	}
	if out, err := x.tasks.Output("t1", 1, 0); err != nil || out.Begin != 3 || out.Raw != "好你好" {
		t.Errorf("%+v %v", out, err)
	}
}

func TestBackgroundThatFailsAtOnce(t *testing.T) {
	x := newTerminal(t, true, nil)
	var res tool.Result
	for try := 1; try <= 20; try++ { // on a busy machine even this command takes its time
		res = x.run(t, t.Context(), `{"command":"echo no >&2; exit 4","background":true}`)
		if res.IsError && res.Content == fmt.Sprintf("no\n[t%d ended at once.] [exit status 4]", try) {
			return
		}
	}
	t.Errorf("%+v", res)
}
