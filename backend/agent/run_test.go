package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/tool"
)

var update = flag.Bool("update", false, "write what came as what is wanted")

// TestRun plays the archives of testdata: scripted answers on a real HTTP
// server, the real client, the real loop. An archive holds
//
//	config.json     what differs from the defaults, see script
//	messages.json   the conversation; default: one user message
//	server          the answers, in providertest's language
//	want/...        the messages of each request that are new in it, the result
//
// The emitted events are in NAME.events.jsonl next to it, as the interface receives them.
func TestRun(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range archives {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newScript(t, ar)
			events, requests, result := s.play(t)
			if *update {
				s.save(t, file, ar, events, requests, result)
				return
			}
			compare(t, "events", events, readFile(t, strings.TrimSuffix(file, ".txtar")+".events.jsonl"))
			compare(t, "requests", requests, s.files["want/requests.jsonl"])
			compare(t, "result", result, s.files["want/result.json"])
		})
	}
}

// script is an archive, read.
type script struct {
	Attempts  int    `json:"attempts"` // default 1
	StepLimit int    `json:"stepLimit"`
	Approve   string `json:"approve"`  // "": nobody is there; "yes"; "no: reason"; "edit: arguments"
	StopAt    string `json:"stopAt"`   // ctx ends when this text or action is emitted
	NoImages  bool   `json:"noImages"` //
	EndAfter  int    `json:"endAfter"` // steps, after which NextStep says no; 0: it never does
	Index     int    `json:"index"`

	messages []chat.Message
	files    map[string]string
}

func newScript(t *testing.T, ar *txtar.Archive) *script {
	s := &script{files: map[string]string{}, messages: []chat.Message{{Role: chat.User, Content: chat.Text("Hello")}}}
	for _, f := range ar.Files {
		data := strings.TrimSuffix(string(f.Data), "\n")
		s.files[f.Name] = data
		var err error
		switch {
		case f.Name == "config.json":
			d := json.NewDecoder(strings.NewReader(data))
			d.DisallowUnknownFields()
			err = d.Decode(s)
		case f.Name == "messages.json":
			s.messages = nil
			err = json.Unmarshal(f.Data, &s.messages)
		case f.Name != "server" && !strings.HasPrefix(f.Name, "want/"):
			t.Fatalf("no use for %s", f.Name)
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	return s
}

// play runs the script and returns the events, the new messages of each
// request, and the result.
func (s *script) play(t *testing.T) (events, requests, result string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	srv := providertest.New(t, s.files["server"])
	outbox := event.NewOutbox(time.UnixMilli(0))
	outbox.Emit(event.RunStarted{RunID: "r1", Path: "a.mtm", Cell: "c1", Model: "m"})
	cfg := agent.Config{
		Model:     openai.New(openai.Config{Name: "test", BaseURL: srv.URL, Attempts: max(s.Attempts, 1), FirstWait: time.Millisecond}),
		Request:   provider.Request{Model: "m"},
		Messages:  s.messages,
		Index:     s.Index,
		Tools:     tool.NewRegistry(testTools(t)...),
		Approver:  s.approver(),
		StepLimit: s.StepLimit,
		NoImages:  s.NoImages,
		NextStep:  s.nextStep(),
		Now:       func() time.Time { return time.UnixMilli(0) },
	}
	before, _ := json.Marshal(s.messages)
	puts := s.messages
	joined := map[int]*chat.Message{} // the deltas of each message
	res := agent.Run(ctx, cfg, func(u agent.Update) {
		if d, ok := u.(agent.Delta); ok {
			checkWhole(t, joined, d)
		}
		if d, ok := u.(agent.Delta); ok && s.StopAt != "" && strings.Contains(d.Text, s.StopAt) || u == (agent.Update)(agent.Action{Text: s.StopAt}) {
			cancel()
		}
		if p, ok := u.(agent.Put); ok {
			puts = append(puts, p.Message)
		}
		if e := wireEvent(u); e != nil {
			outbox.Emit(e)
		}
	})
	if res.Fault != nil { // its parts repeat the same
		f := *res.Fault
		f.Said, res.Fault = nil, &f
	}
	outbox.Emit(event.RunFinished{RunID: "r1", Path: "a.mtm", Cell: "c1", Outcome: notebook.Outcome(res.Outcome), Fault: res.Fault})
	if after, _ := json.Marshal(s.messages); !bytes.Equal(before, after) {
		t.Error("Run changed the messages it was given")
	}
	answered(t, puts)
	lines, err := outbox.Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	steady := steadier()
	events = steady(string(bytes.Join(lines, nil)))
	b, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return events, steady(newMessages(t, srv.Requests())), steady(string(b))
}

// steadier replaces what varies between runs or does not come from the loop: ids that the client
// assigned to calls, and its texts for faults, whose codes are enough.
func steadier() func(string) string {
	made := map[string]string{}
	return func(s string) string {
		s = clientWords.ReplaceAllString(s, `$1"..."`)
		return madeID.ReplaceAllStringFunc(s, func(id string) string {
			if made[id] == "" {
				made[id] = fmt.Sprintf("made_%d", len(made)+1)
			}
			return made[id]
		})
	}
}

var (
	madeID      = regexp.MustCompile(`call_[A-Z2-7]{26}`)
	clientWords = regexp.MustCompile(`("code":\s*"\w+",\s*"message":\s*)"(?:[^"\\]|\\.)*"`)
)

// answered fails if a tool call is not followed by its result.
func answered(t *testing.T, messages []chat.Message) {
	for i, m := range messages {
		for k, c := range m.ToolCalls {
			if at := i + 1 + k; at >= len(messages) || messages[at].ToolCallID != c.ID {
				t.Errorf("call %s of message %d has no result in its place", c.ID, i)
			}
		}
	}
}

// newMessages lists for each request the messages that the one before it did
// not have; what went before must be the same, byte by byte, so that servers
// can cache it.
func newMessages(t *testing.T, requests []providertest.Request) string {
	var b strings.Builder
	var known []string
	for i, r := range requests {
		fmt.Fprintf(&b, "request %d\n", i+1)
		var body struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		for k, m := range body.Messages {
			if k >= len(known) {
				known = append(known, string(m))
				fmt.Fprintf(&b, "  %s\n", m)
			} else if known[k] != string(m) {
				t.Errorf("request %d: message %d differs from before:\n%s\n%s", i+1, k, known[k], m)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkWhole checks that a delta contains the message that all deltas so far add up to.
func checkWhole(t *testing.T, joined map[int]*chat.Message, d agent.Delta) {
	m := joined[d.Index]
	if m == nil {
		m = &chat.Message{Role: chat.Assistant}
		joined[d.Index] = m
	}
	text := m.Content.String() + d.Text
	m.Content = chat.Text(text)
	m.Content.Null = text == ""
	m.ReasoningContent += d.Reasoning
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for _, c := range d.ToolCalls {
		if c.Index == len(m.ToolCalls) {
			m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: c.ID, Type: "function", Function: chat.Function{Name: c.Name}})
		}
		call := &m.ToolCalls[c.Index]
		call.Function.Arguments += c.Arguments
		call.Extra = provider.WithExtra(call.Extra, c.Extra)
	}
	if !reflect.DeepEqual(d.Whole, *m) {
		t.Errorf("message %d is %+v after %+v, want %+v", d.Index, d.Whole, d, *m)
	}
}

func wireEvent(u agent.Update) event.Event {
	switch u := u.(type) {
	case agent.Delta:
		e := event.Delta{RunID: "r1", Path: "a.mtm", Cell: "c1", Index: u.Index, Text: u.Text, Reasoning: u.Reasoning}
		for _, c := range u.ToolCalls {
			e.ToolCalls = append(e.ToolCalls, event.ToolCallDelta{Index: c.Index, ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
		return e
	case agent.Put:
		m := u.Message
		v := notebook.MessageView{Role: m.Role, Text: m.Content.String(), Reasoning: m.ReasoningContent, ToolCallID: m.ToolCallID,
			Name: m.Name, IsError: u.IsError, TookMs: u.Took.Milliseconds(), Usage: u.Usage, Internal: u.Internal}
		for _, c := range m.ToolCalls {
			v.ToolCalls = append(v.ToolCalls, notebook.ToolCallView{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		return event.MessagePut{RunID: "r1", Path: "a.mtm", Cell: "c1", Index: u.Index, Message: v}
	case agent.Waiting:
		e := event.RunWaiting{RunID: "r1", Path: "a.mtm", Cell: "c1", Attempt: u.Attempt, Reason: u.Reason}
		if !u.Until.IsZero() {
			e.UntilMs = 1 // the real time is no part of the case
		}
		return e
	}
	return nil
}

func (s *script) nextStep() func() bool {
	steps := 0
	return func() bool {
		steps++
		return steps != s.EndAfter
	}
}

func (s *script) approver() agent.Approver {
	if s.Approve == "" {
		return nil
	}
	return person(s.Approve)
}

// person decides as the script says.
type person string

func (p person) Approve(ctx context.Context, ask agent.Ask) (agent.Decision, error) {
	verb, rest, _ := strings.Cut(string(p), ": ")
	switch verb {
	case "yes":
		return agent.Decision{Allow: true}, nil
	case "edit":
		return agent.Decision{Allow: true, Arguments: rest}, nil
	case "why":
		return agent.Decision{Reason: "you wrote: " + ask.Why}, nil
	case "leave":
		return agent.Decision{}, errors.New("the window was closed")
	}
	return agent.Decision{Reason: rest}, nil
}

type echoIn struct {
	Text  string `json:"text" jsonschema:"what to say"`
	Times int    `json:"times,omitempty"`
}

func (in echoIn) Action() string { return "echoing " + in.Text }

// testTools are small tools with every behaviour that the loop must bear.
func testTools(t *testing.T) []tool.Tool {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	echo := func(_ context.Context, _ tool.Env, in echoIn) tool.Result {
		if in.Text == "slow" { // the first of several must still come first
			time.Sleep(20 * time.Millisecond)
		}
		return tool.Text(strings.Repeat(in.Text, max(in.Times, 1)))
	}
	return []tool.Tool{
		tool.New(tool.Spec{Name: "echo", Description: "Says it again.", Reads: true}, echo),
		tool.New(tool.Spec{Name: "store", Description: "Changes something."}, echo),
		tool.New(tool.Spec{Name: "boom", Description: "Crashes.", Reads: true}, func(context.Context, tool.Env, struct{}) tool.Result {
			panic("index out of range")
		}),
		tool.New(tool.Spec{Name: "hang", Description: "Never ends, whatever happens.", Reads: true}, func(context.Context, tool.Env, struct{}) tool.Result {
			<-over
			return tool.Text("over")
		}),
		tool.New(tool.Spec{Name: "show", Description: "Shows an image.", Reads: true}, func(context.Context, tool.Env, struct{}) tool.Result {
			return tool.Result{Content: "dot.png, 1x1", Images: []chat.Part{{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64,AAAA"}}}}
		}),
		tool.New(tool.Spec{Name: "task_finish", Aliases: []string{"finish_task"}, Description: "Ends.", Reads: true}, func(_ context.Context, _ tool.Env, in struct {
			Summary string `json:"summary"`
		}) tool.Result {
			return tool.Result{Content: in.Summary, Finish: true}
		}),
	}
}

func (s *script) save(t *testing.T, file string, ar *txtar.Archive, events, requests, result string) {
	kept := ar.Files[:0]
	for _, f := range ar.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			kept = append(kept, f)
		}
	}
	ar.Files = append(kept,
		txtar.File{Name: "want/requests.jsonl", Data: []byte(requests + "\n")},
		txtar.File{Name: "want/result.json", Data: []byte(result + "\n")})
	for name, data := range map[string][]byte{file: txtar.Format(ar), strings.TrimSuffix(file, ".txtar") + ".events.jsonl": []byte(events)} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readFile(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func compare(t *testing.T, what, got, want string) {
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("%s, line %d:\n got %s\nwant %s", what, i+1, a, b)
			return
		}
	}
}
