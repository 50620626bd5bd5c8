package loopdetect

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/chat"
)

// called makes an answer that calls one tool, and its result.
func (s *Detector) called(name, arguments, result string, isError bool) string {
	s.Add(chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Function: chat.Function{Name: name, Arguments: arguments}}}}, false, time.Now())
	s.Add(chat.Message{Role: chat.Tool, ToolCallID: "1", Content: chat.Text(result)}, isError, time.Now())
	return s.Advice(time.Now())
}

func watched() *Detector {
	return New(time.Now(), func(name, arguments string) string { return name + " " + arguments })
}

func TestTheSameCallAgainAndAgain(t *testing.T) {
	s := watched()
	for i := range 3 {
		if got := s.called("reading", "a.go", "same", false); got != "" {
			t.Fatalf("call %d: %q", i, got)
		}
	}
	want := "It has been reading a.go 4 times, with the same result each time. Stop it, or tell it what to do next."
	if got := s.called("reading", "a.go", "same", false); got != want {
		t.Errorf("got %q", got)
	}
	if got := s.called("reading", "a.go", "changed", false); got != "" {
		t.Errorf("with another result: %q", got)
	}
	for range 3 {
		s.called("reading", "a.go", "changed", false)
	}
	if s.Advice(time.Now()) == "" {
		t.Error("a second loop is not seen")
	}
	s.Add(chat.Message{Role: chat.Assistant, Content: chat.Text("Here is what I found.")}, false, time.Now())
	if got := s.Advice(time.Now()); got != "" {
		t.Errorf("after an answer: %q", got)
	}
}

// A loop of several calls counts; reading the same thing between new calls does not.
func TestLoopsAndProgress(t *testing.T) {
	s := watched()
	for i := range 12 {
		got := s.called("reading", []string{"a", "b", "c"}[i%3], "same", false)
		if (got != "") != (i >= 11) && i < 9 {
			t.Errorf("step %d: %q", i, got)
		}
	}
	if s.Advice(time.Now()) == "" {
		t.Error("a loop of three is not seen")
	}
	s = watched()
	for i := range 30 {
		if got := s.called("reading", "notes", "same", false) + s.called("writing", fmt.Sprint("file ", i), "written", false); got != "" {
			t.Fatalf("step %d of steady work: %q", i, got)
		}
	}
	s = watched()
	for i := range maxSamePolls - 1 {
		if got := s.called("shell_output", "t1", "nothing new", false); got != "" {
			t.Fatalf("look %d: %q", i, got)
		}
	}
	if s.called("shell_output", "t1", "nothing new", false) == "" {
		t.Error("polling for ever is not seen")
	}
}

func TestTheSameErrorAgainAndAgain(t *testing.T) {
	s := watched()
	for i := range 3 {
		if got := s.called("editing", fmt.Sprint("try ", i), fmt.Sprintf("line %d does not match\nmore", i), true); got != "" {
			t.Fatalf("error %d: %q", i, got)
		}
	}
	want := "It has got the same error 4 times while editing x: line 9 does not match. Stop it, or tell it what to do instead."
	if got := s.called("editing", "x", "line 9 does not match\nmore", true); got != want {
		t.Errorf("got %q", got)
	}
	if got := s.called("reading", "x", "text", false); got != "" {
		t.Errorf("after a call that went well: %q", got)
	}
	for i := range 20 {
		if got := s.called("editing", "x", "this failed "+strings.Repeat("i", i), true); got != "" {
			t.Fatalf("different errors: %q", got)
		}
	}
}

func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := watched()
		time.Sleep(silentModel - time.Second)
		if got := s.Advice(time.Now()); got != "" {
			t.Errorf("too soon: %q", got)
		}
		time.Sleep(time.Second)
		if got := s.Advice(time.Now()); got != "Nothing has come from the model for 3 minutes. Wait, or stop it and run the prompt again." {
			t.Errorf("got %q", got)
		}
		s.Heard(time.Now())
		if got := s.Advice(time.Now()); got != "" {
			t.Errorf("after a word: %q", got)
		}
		begin := func(name string) {
			s.Add(chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Function: chat.Function{Name: name, Arguments: "make"}}}}, false, time.Now())
		}
		begin("running")
		time.Sleep(silentTool - time.Second)
		if got := s.Advice(time.Now()); got != "" {
			t.Errorf("too soon: %q", got)
		}
		time.Sleep(2 * time.Minute)
		if got := s.Advice(time.Now()); got != "It has been running make for 6 minutes, and nothing came of it. Wait, or stop it." {
			t.Errorf("got %q", got)
		}
		s.Heard(time.Now()) // it printed something
		if got := s.Advice(time.Now()); got != "" {
			t.Errorf("after output: %q", got)
		}
		begin("self_fork")
		time.Sleep(time.Hour)
		if got := s.Advice(time.Now()); got != "" {
			t.Errorf("while it waits for others: %q", got)
		}
	})
}

// Watching is cheap compared to the watched work.
func BenchmarkAdd(b *testing.B) {
	s := watched()
	text := strings.Repeat("x", 4000)
	for i := range b.N {
		s.called("reading", fmt.Sprint(i), text, false)
	}
}
