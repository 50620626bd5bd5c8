package workspace

import (
	"fmt"
	"hash/maphash"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/cost"
	"mutsumi/backend/tool"
)

// When an agent is taken for stuck. It is told and never stopped.
const (
	sameCalls   = 4               // the same call, with the same result
	sameLooks   = 15              // that only looks whether something has happened
	sameErrors  = 4               // the same error, whatever was called
	silentModel = 3 * time.Minute // nothing comes of an answer
	silentTool  = 5 * time.Minute // a tool works and prints nothing
)

// stuck watches one run for signs that it goes round in circles. It is pure:
// it is told what happens and when. Nothing of it grows with the answer but
// one number for each different call, up to mostSeen.
type stuck struct {
	action func(name, arguments string) string // a call in a few words

	seen    map[uint64]bool // results that came before: calls with what they gave
	calls   map[uint64]int  // how often each came since something new did
	errors  map[uint64]int
	open    map[string]chat.ToolCall // calls without a result, by id
	silent  time.Time                // since when nothing came
	circles string                   // what it does again and again, for a person; "" while there is progress
}

const mostSeen = 10_000

// looking are tools that wait for others, or look at what changes by itself.
var looking = map[string]bool{"shell_output": true, "call_agent": true, "ask_user": true, "self_fork": true}

// waiting are tools that may take as long as other agents and people do.
var waiting = map[string]bool{"call_agent": true, "ask_user": true, "self_fork": true}

var stuckSeed = maphash.MakeSeed()

func newStuck(now time.Time, action func(name, arguments string) string) *stuck {
	return &stuck{
		action: action, silent: now, seen: map[uint64]bool{}, calls: map[uint64]int{}, errors: map[uint64]int{},
		open: map[string]chat.ToolCall{},
	}
}

// heard says that something came: a piece of an answer, output of a command, a
// person's decision.
func (s *stuck) heard(now time.Time) { s.silent = now }

// put takes in a finished message of the answer.
func (s *stuck) put(m chat.Message, isError bool, now time.Time) {
	s.silent = now
	if m.Role != chat.Tool {
		clear(s.open)
		for _, c := range m.ToolCalls {
			s.open[c.ID] = c
		}
		if len(m.ToolCalls) == 0 {
			s.progress()
		}
		return
	}
	call, known := s.open[m.ToolCallID]
	if !known {
		return
	}
	delete(s.open, m.ToolCallID)
	text := m.Content.String()
	if isError {
		s.failed(call, text)
		return
	}
	s.repeated(call, hashed(call.Function.Name, call.Function.Arguments, text))
}

// repeated counts a call with what it gave; the first of its kind is progress.
func (s *stuck) repeated(call chat.ToolCall, key uint64) {
	if !s.seen[key] {
		s.progress()
		if len(s.seen) >= mostSeen {
			clear(s.seen)
		}
		s.seen[key] = true
	}
	s.calls[key]++
	most := sameCalls
	if looking[call.Function.Name] {
		most = sameLooks
	}
	if n := s.calls[key]; n >= most {
		s.circles = fmt.Sprintf("It has been %s %d times, with the same result each time. Stop it, or tell it what to do next.",
			s.action(call.Function.Name, call.Function.Arguments), n)
	}
}

// failed counts an error: the same words, be it with other numbers, for
// whatever call of that tool.
func (s *stuck) failed(call chat.ToolCall, text string) {
	words := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, firstPart(text, 400))
	key := hashed("error", call.Function.Name, words)
	s.errors[key]++
	if n := s.errors[key]; n >= sameErrors {
		s.circles = fmt.Sprintf("It has got the same error %d times while %s: %s Stop it, or tell it what to do instead.",
			n, s.action(call.Function.Name, call.Function.Arguments), sentence(text, 120))
	}
}

// progress says that something new came: what was repeated before counts no more.
func (s *stuck) progress() {
	clear(s.calls)
	clear(s.errors)
	s.circles = ""
}

// advice says in words for a person that the run is stuck, and what can be
// done; "" while it is not.
func (s *stuck) advice(now time.Time) string {
	if s.circles != "" {
		return s.circles
	}
	silence := now.Sub(s.silent)
	if len(s.open) == 0 {
		if silence < silentModel {
			return ""
		}
		return fmt.Sprintf("Nothing has come from the model for %d minutes. Wait, or stop it and run the prompt again.", int(silence.Minutes()))
	}
	call := chat.ToolCall{}
	for _, c := range s.open {
		if waiting[c.Function.Name] {
			return ""
		}
		if call.ID == "" || c.ID < call.ID { // the same one each time
			call = c
		}
	}
	if silence < silentTool {
		return ""
	}
	return fmt.Sprintf("It has been %s for %d minutes, and nothing came of it. Wait, or stop it.",
		s.action(call.Function.Name, call.Function.Arguments), int(silence.Minutes()))
}

// watch begins to watch a run; tools name its calls.
func (d *doc) watch(r *run, tools *tool.Registry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.doing.stuck = newStuck(time.Now(), func(name, arguments string) string {
		if call, err := tools.Prepare(name, arguments); err == nil && call.Action != "" {
			return spoken(call.Action, 80)
		}
		return "calling " + spoken(name, 40)
	})
}

// advice says what to do about the run that writes into the notebook, "" while
// it goes well. Who waits for others, or for its turn, is not silent. Under d.mu.
func (d *doc) advice(l agenttree.Live) string {
	s := d.active.doing.stuck
	if s == nil {
		return ""
	}
	if l.NeedsYou || d.active.waitMs > nowMs() || l.Action == pausedAction || strings.HasPrefix(l.Action, "waiting for") {
		s.heard(time.Now())
	}
	if at, printed := d.w.printed.Load(d.nb.UUID()); printed && at.(time.Time).After(s.silent) {
		s.heard(at.(time.Time))
	}
	if text := s.advice(time.Now()); text != "" {
		return text
	}
	if decision := d.decide(cost.FromDollars(d.budget())); decision.Verdict == cost.NearlySpent {
		return decision.Text + " Raise the budget, or stop it before it is spent."
	}
	return ""
}

func hashed(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(stuckSeed)
	for _, p := range parts {
		fmt.Fprintf(&h, "%d:%s", len(p), p)
	}
	return h.Sum64()
}

// firstPart cuts a text to so many bytes, between two characters.
func firstPart(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// sentence is the first line of a text as a plain sentence.
func sentence(s string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = spoken(line, most)
	if line == "" || strings.ContainsAny(line[len(line)-1:], ".!?") || strings.HasSuffix(line, "…") {
		return line
	}
	return line + "."
}
