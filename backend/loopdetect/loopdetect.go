// Package loopdetect detects that an agent makes no progress: it repeats calls or errors, or
// nothing arrives any longer.
package loopdetect

import (
	"fmt"
	"hash/maphash"
	"strings"
	"time"
	"unicode"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// The limits from which a run counts as stuck. The user is notified; the run is never stopped.
const (
	maxSameCalls  = 4               // the same call with the same result
	maxSamePolls  = 15              // the same for a tool that looks whether something has happened
	maxSameErrors = 4               // the same error of one tool, whatever its arguments
	silentModel   = 3 * time.Minute // nothing comes from the model
	silentTool    = 5 * time.Minute // a tool works and prints nothing
)

// Detector watches one run for signs that it makes no progress. It is pure: its
// caller reports what happens and when. It holds one number for each different call,
// up to maxSeen, and nothing else that grows with the answer. It is not safe
// for concurrent use.
type Detector struct {
	action func(name, arguments string) string // a call in a few words

	seen   map[uint64]bool // calls with their results that came before
	calls  map[uint64]int  // how often each came since the last progress
	errors map[uint64]int
	open   map[string]chat.ToolCall // calls without a result, by id
	heard  time.Time                // when something came last
	loop   string                   // the repetition, for a person; "" while there is progress
}

const maxSeen = 10_000

// polling are tools that wait for others, or observe changing things.
var polling = map[string]bool{"shell_output": true, "call_agent": true, "ask_user": true, "self_fork": true}

// blocking are tools that may take as long as other agents and people do.
var blocking = map[string]bool{"call_agent": true, "ask_user": true, "self_fork": true}

var seed = maphash.MakeSeed()

// New returns a detector for a run that begins now. action describes a call in a few words.
func New(now time.Time, action func(name, arguments string) string) *Detector {
	return &Detector{
		action: action, heard: now, seen: map[uint64]bool{}, calls: map[uint64]int{}, errors: map[uint64]int{},
		open: map[string]chat.ToolCall{},
	}
}

// Heard records that something arrived at a time: a piece of an answer, output of a command, a
// person's decision. A time before the last one changes nothing.
func (d *Detector) Heard(at time.Time) {
	if at.After(d.heard) {
		d.heard = at
	}
}

// Add processes a finished message of the answer; isError reports that it is the result of a failed
// call.
func (d *Detector) Add(m chat.Message, isError bool, now time.Time) {
	d.Heard(now)
	if m.Role != chat.Tool {
		clear(d.open)
		for _, c := range m.ToolCalls {
			d.open[c.ID] = c
		}
		if len(m.ToolCalls) == 0 {
			d.progress()
		}
		return
	}
	call, known := d.open[m.ToolCallID]
	if !known {
		return
	}
	delete(d.open, m.ToolCallID)
	result := m.Content.String()
	if isError {
		d.failed(call, result)
		return
	}
	d.repeated(call, hashed(call.Function.Name, call.Function.Arguments, result))
}

// repeated counts a call with its result; a new one is progress.
func (d *Detector) repeated(call chat.ToolCall, key uint64) {
	if !d.seen[key] {
		d.progress()
		if len(d.seen) >= maxSeen {
			clear(d.seen)
		}
		d.seen[key] = true
	}
	d.calls[key]++
	limit := maxSameCalls
	if polling[call.Function.Name] {
		limit = maxSamePolls
	}
	if n := d.calls[key]; n >= limit {
		d.loop = fmt.Sprintf("It has been %s %d times, with the same result each time. Stop it, or tell it what to do next.",
			d.action(call.Function.Name, call.Function.Arguments), n)
	}
}

// failed counts an error of a tool: errors with the same words are the same, whatever their
// numbers.
func (d *Detector) failed(call chat.ToolCall, message string) {
	words := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, clip.Bytes(message, 400))
	key := hashed("error", call.Function.Name, words)
	d.errors[key]++
	if n := d.errors[key]; n >= maxSameErrors {
		d.loop = fmt.Sprintf("It has got the same error %d times while %s: %s Stop it, or tell it what to do instead.",
			n, d.action(call.Function.Name, call.Function.Arguments), clip.Sentence(message, 120))
	}
}

// progress forgets repetitions: something new arrived.
func (d *Detector) progress() {
	clear(d.calls)
	clear(d.errors)
	d.loop = ""
}

// Advice tells a person that the run is stuck and what to do about it; it is empty while the run
// makes progress.
func (d *Detector) Advice(now time.Time) string {
	if d.loop != "" {
		return d.loop
	}
	silence := now.Sub(d.heard)
	if len(d.open) == 0 {
		if silence < silentModel {
			return ""
		}
		return fmt.Sprintf("Nothing has come from the model for %d minutes. Wait, or stop it and run the prompt again.", int(silence.Minutes()))
	}
	call := chat.ToolCall{}
	for _, c := range d.open {
		if blocking[c.Function.Name] {
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
		d.action(call.Function.Name, call.Function.Arguments), int(silence.Minutes()))
}

func hashed(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, p := range parts {
		fmt.Fprintf(&h, "%d:%s", len(p), p)
	}
	return h.Sum64()
}
