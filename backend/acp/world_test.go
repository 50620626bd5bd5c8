package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/acp/acptest"
	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/lock"
	"mutsumi/backend/waittest"
)

func TestMain(m *testing.M) {
	acptest.Main()
	os.Exit(m.Run())
}

// world is a folder whose notebook the scripted agent answers.
type world struct {
	*testing.T
	agents  *Agents
	dir     string
	host    *host
	changes chan string // notebooks whose session changed
	inputs  lock.Guarded[[]Input]
}

func newWorld(t *testing.T, manners ...string) *world {
	w := &world{T: t, dir: t.TempDir(), changes: make(chan string, 100)}
	program, env := acptest.Command(manners...)
	w.inputs.Do(func(all *[]Input) { *all = []Input{{ID: "scripted", Name: "Scripted", Command: program, Env: env}} })
	w.host = &host{dir: w.dir, option: "yes"}
	w.agents = Open(Options{
		Own:      func() (own []Input) { w.inputs.Do(func(all *[]Input) { own = slices.Clone(*all) }); return own },
		Notebook: func(path string) (string, string, error) { return path, "scripted", nil },
		SessionChanged: func(n string) {
			select {
			case w.changes <- n:
			default:
			}
		},
	})
	w.agents.timing.stop = time.Minute
	t.Cleanup(w.agents.Close)
	return w
}

// answered is the outcome of a turn.
type answered struct {
	agent.Result
	session string
	micros  int // what the session cost
	puts    []agent.Put
	updates []agent.Update
}

// ask has a script answered, and checks that the updates are as those of package agent.
func (w *world) ask(script string, change ...func(*Turn)) answered {
	w.Helper()
	return w.askIn(context.Background(), script, change...)
}

func (w *world) askIn(ctx context.Context, script string, change ...func(*Turn)) (a answered) {
	w.Helper()
	t := Turn{Agent: "scripted", Notebook: "n", Dir: w.dir, Prompt: chat.Text(script), Host: w.host}
	emit := lock.Guarded[answered]{}
	t.Emit = func(u agent.Update) {
		emit.Do(func(a *answered) {
			a.updates = append(a.updates, u)
			if p, is := u.(agent.Put); is {
				a.puts = append(a.puts, p)
			}
		})
	}
	for _, c := range change {
		c(&t)
	}
	result, session := w.agents.Answer(ctx, t)
	emit.Do(func(got *answered) { a = *got })
	a.Result, a.session, a.micros = result, session.ID, session.Micros
	w.check(t.Index, a)
	return a
}

// check checks what every answer has to obey: messages are put once and in order, deltas build the
// message that is put, and each call has its result next.
func (w *world) check(index int, a answered) {
	w.Helper()
	var text, thoughts strings.Builder
	calls := 0
	var due []string
	for _, u := range a.updates {
		switch u := u.(type) {
		case agent.Delta:
			if u.Index != index {
				w.Errorf("a delta of message %d in %d", u.Index, index)
			}
			text.WriteString(u.Text)
			thoughts.WriteString(u.Reasoning)
			for _, c := range u.ToolCalls {
				if c.Index == calls && c.ID != "" && c.Name != "" {
					calls++
				} else if c.Index >= calls {
					w.Errorf("call %d after %d", c.Index, calls)
				}
			}
			if u.Whole.Content.Size() != text.Len() || len(u.Whole.ReasoningContent) != thoughts.Len() || len(u.Whole.ToolCalls) != calls {
				w.Errorf("the whole message %+v is not what came", u.Whole)
			}
		case agent.Put:
			if u.Index != index {
				w.Errorf("message %d is put in the place of %d", u.Index, index)
			}
			index++
			m := u.Message
			if m.Role == chat.Tool {
				if len(due) == 0 || m.ToolCallID != due[0] {
					w.Errorf("the result of %s, due are %q", m.ToolCallID, due)
				} else {
					due = due[1:]
				}
				if m.Content.IsEmpty() {
					w.Error("an empty result")
				}
				continue
			}
			if len(due) > 0 {
				w.Errorf("%q have no result", due)
			}
			if m.Content.String() != text.String() || m.ReasoningContent != thoughts.String() || len(m.ToolCalls) != calls {
				w.Errorf("put is %+v, and streamed %q, %q", m, text.String(), thoughts.String())
			}
			text, thoughts, calls = strings.Builder{}, strings.Builder{}, 0
			for _, c := range m.ToolCalls {
				if !json.Valid([]byte(c.Function.Arguments)) {
					w.Errorf("%q is no JSON", c.Function.Arguments)
				}
				due = append(due, c.ID)
			}
		case agent.Called:
			if u.Index < index {
				w.Errorf("a call for message %d after %d", u.Index, index)
			}
		}
	}
	if len(due) > 0 {
		w.Errorf("%q have no result", due)
	}
}

// told returns an answer as text.
func (a answered) told() string {
	var b strings.Builder
	for _, p := range a.puts {
		m := p.Message
		if m.ReasoningContent != "" {
			fmt.Fprintf(&b, "thought: %s\n", m.ReasoningContent)
		}
		if s := m.Content.String(); s != "" {
			fmt.Fprintf(&b, "%s: %s\n", m.Role, s)
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "%s %s %s\n", c.ID, c.Function.Name, c.Function.Arguments)
		}
		if p.IsError || p.Facts != nil {
			fmt.Fprintf(&b, "  error %v %+v\n", p.IsError, fact(p.Facts))
		}
	}
	if a.Fault != nil {
		fmt.Fprintf(&b, "%s: %s\n", a.Outcome, a.Fault.Message)
	} else {
		fmt.Fprintf(&b, "%s\n", a.Outcome)
	}
	return b.String()
}

func fact(f *chat.CallFacts) string {
	if f == nil {
		return "{}"
	}
	b, _ := json.Marshal(f)
	return string(b)
}

// want compares an answer with its text.
func (w *world) want(a answered, want string) {
	w.Helper()
	if got := a.told(); strings.TrimSpace(got) != strings.TrimSpace(want) {
		w.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// host is the Host of a turn: files in a folder, commands of the shell.
type host struct {
	dir     string
	option  string // the answer to questions; "wait": none until the turn ends
	asked   lock.Guarded[[]Permission]
	begun   lock.Guarded[[]ToolCall]
	ended   lock.Guarded[[]string]
	started lock.Guarded[[]*shell]
	waits   chan struct{} // gets one when a question waits
}

func (h *host) ReadFile(_ context.Context, path string, line, limit int) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}

func (h *host) WriteFile(_ context.Context, path, text string) error {
	if !strings.HasPrefix(path, h.dir+string(filepath.Separator)) {
		return fmt.Errorf("%s is outside", path)
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

func (h *host) Permit(ctx context.Context, p Permission) (string, error) {
	h.asked.Do(func(all *[]Permission) { *all = append(*all, p) })
	if h.option == "wait" {
		h.waits <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}
	return h.option, nil
}

func (h *host) Begins(c ToolCall) { h.begun.Do(func(all *[]ToolCall) { *all = append(*all, c) }) }

func (h *host) Ends(id string) { h.ended.Do(func(all *[]string) { *all = append(*all, id) }) }

func (h *host) Run(_ context.Context, c TerminalCommand) (Terminal, error) {
	cmd := exec.Command(c.Command, c.Args...)
	if len(c.Args) == 0 {
		cmd = exec.Command("sh", "-c", c.Command)
	}
	t := &shell{cmd: cmd, done: make(chan struct{})}
	cmd.Dir, cmd.Stdout, cmd.Stderr = h.dir, t, t
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	h.started.Do(func(all *[]*shell) { *all = append(*all, t) })
	go func() {
		cmd.Wait()
		close(t.done)
	}()
	return t, nil
}

// shell is a command that runs.
type shell struct {
	cmd    *exec.Cmd
	done   chan struct{}
	output lock.Guarded[string]
}

func (s *shell) Write(p []byte) (int, error) {
	s.output.Do(func(o *string) { *o += string(p) })
	return len(p), nil
}

func (s *shell) Output() (text string) {
	s.output.Do(func(o *string) { text = *o })
	return text
}

func (s *shell) Done() <-chan struct{} { return s.done }

func (s *shell) Exit() (int, string) { return s.cmd.ProcessState.ExitCode(), "" }

func (s *shell) Kill() { s.cmd.Process.Kill() }

// reads waits until the agent of the notebook says that often that it read something.
func (w *world) reads(what string, times int) {
	w.Helper()
	waittest.Until(w.T, "the agent reads "+what, func() (did bool) {
		w.agents.place("n").state.Do(func(s *placeState) { did = s.conn != nil && strings.Count(s.conn.log.Text(), what) == times })
		return did
	})
}
