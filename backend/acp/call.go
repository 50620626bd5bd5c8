package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/jsontext"
)

// Limits of a call.
const (
	maxInput     = 256 << 10 // bytes in the notebook
	maxLocations = 100
	maxContents  = 100
	maxTitle     = 300 // characters
	maxCallID    = 64
)

// noResult is the result of a call that got none.
const noResult = "(no result was reported)"

// kinds are the kinds of calls.
var kinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

// call is a call of an agent, as it is known so far. The lock of its reply guards it.
type call struct {
	id        string // as in the notebook
	kind      string
	title     string
	status    string // pending, in_progress, completed, failed
	locations []Location
	input     json.RawMessage // an object, or nil
	output    json.RawMessage
	content   []callContent
	plan      string // the arguments of a plan
	reply     *reply
	size      int    // bytes of what the agent said of it
	args      string // see arguments; "": not made yet

	joined     bool // a message has it, as call number at
	at         int
	waits      bool // for results of others, to join a message
	told       bool // its arguments were shown
	called     bool // it was shown to be carried out, since began
	began      time.Time
	ready      time.Time // announced, or allowed
	heard      time.Time
	finished   bool
	left       string // the result, if the agent gave none
	end        chat.CallEnd
	rejected   bool
	unanswered bool // the run was stopped while the person was asked
}

// freeID returns an id for the notebook that looks like the agent's.
func (r *reply) freeID(id string) string {
	base := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.':
			return c
		}
		return '_'
	}, clip.Bytes(id, maxCallID))
	if r.turn.Index > 0 { // the answer has other calls
		base = fmt.Sprintf("%s_%d", base, r.turn.Index)
	}
	free := base
	for n := 2; r.ids[free]; n++ {
		free = fmt.Sprintf("%s_%d", base, n)
	}
	r.ids[free] = true
	return free
}

// set takes what the agent says about the call. Members that are missing stay as they are.
func (c *call) set(f toolCallFields, content json.RawMessage) {
	c.heard, c.args = time.Now(), ""
	c.size = len(f.RawInput) + len(content) + len(f.RawOutput)
	if f.Title != nil {
		c.title = clip.VisibleLine(*f.Title, maxTitle)
	}
	if f.CallKind != nil {
		if c.kind = *f.CallKind; !slices.Contains(kinds, c.kind) {
			c.kind = "other"
		}
	}
	if f.Locations != nil {
		c.locations = nil
		for _, l := range (*f.Locations)[:min(len(*f.Locations), maxLocations)] {
			if l.Path == "" || len(l.Path) > 4<<10 {
				continue
			}
			at := Location{Path: c.absolute(l.Path)}
			if l.Line != nil {
				at.Line = amount(*l.Line)
			}
			c.locations = append(c.locations, at)
		}
	}
	if len(f.RawInput) > 0 && f.RawInput[0] == '{' && string(f.RawInput) != "{}" {
		c.input = f.RawInput
	}
	if len(f.RawOutput) > 0 && string(f.RawOutput) != "null" {
		c.output = f.RawOutput
	}
	var list []callContent
	if len(content) > 0 && content[0] == '[' && decode(content, &list) == nil {
		c.content = list[:min(len(list), maxContents)]
	}
	if f.Status != nil && slices.Contains([]string{"pending", "in_progress", "completed", "failed"}, *f.Status) {
		c.status = *f.Status
		c.finished = c.status == "completed" || c.status == "failed"
	}
}

func (c *call) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.reply.turn.Dir, path)
}

// leave gives the call a result that the agent did not.
func (c *call) leave(text string, end chat.CallEnd) { c.left, c.end, c.finished = text, end, true }

func (c *call) name() string { return "acp_" + c.kind }

// isTold reports whether the call says what it does.
func (c *call) isTold() bool {
	return c.plan != "" || c.input != nil || len(c.locations) > 0 || c.status != "pending"
}

// arguments returns the arguments as in the notebook.
func (c *call) arguments() string {
	if c.plan != "" {
		return c.plan
	}
	if c.args == "" {
		c.args = c.makeArguments()
	}
	return c.args
}

func (c *call) makeArguments() string {
	var b []byte
	add := func(name string, v any) {
		if b = append(b, ','); len(b) == 1 {
			b[0] = '{'
		}
		b = append(jsontext.AppendString(b, name), ':')
		b, _ = jsontext.Append(b, v) // of texts and valid JSON it does not fail
	}
	if c.title != "" {
		add("title", c.title)
	}
	if len(c.locations) > 0 {
		places := []string{}
		for _, l := range c.locations {
			place := c.shown(l.Path)
			if l.Line > 0 {
				place = fmt.Sprintf("%s:%d", place, l.Line)
			}
			places = append(places, place)
		}
		add("locations", places)
	}
	switch {
	case len(c.input) > maxInput:
		add("input", fmt.Sprintf("(%d KB, left out)", len(c.input)>>10))
	case c.input != nil:
		add("input", c.input)
	}
	if b == nil {
		return "{}"
	}
	return string(append(b, '}'))
}

// object returns a JSON object with one member.
func object(name string, v any) string {
	b, err := jsontext.Marshal(map[string]any{name: v})
	if err != nil {
		return "{}"
	}
	return string(b)
}

// shown returns a path as a person reads it: relative, in the folder.
func (c *call) shown(path string) string {
	if rel, err := filepath.Rel(c.reply.turn.Dir, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return clip.Visible(path)
}

// chat returns the call as it is stored.
func (c *call) chat() chat.ToolCall {
	return chat.ToolCall{ID: c.id, Type: "function", Function: chat.Function{Name: c.name(), Arguments: c.arguments()}}
}

// host returns the call as the Host knows it.
func (c *call) host() ToolCall {
	t := ToolCall{ID: c.id, Kind: c.kind, Title: c.title, Input: c.input, Locations: slices.Clone(c.locations)}
	var texts []string
	for _, x := range c.content {
		switch x.Type {
		case "content":
			texts = append(texts, textOf(x.Content))
		case "diff":
			d := Change{Path: c.absolute(x.Path), After: x.NewText, New: x.OldText == nil}
			if x.OldText != nil {
				d.Before = *x.OldText
			}
			t.Changes = append(t.Changes, d)
		}
	}
	t.Text = strings.Join(texts, "\n")
	return t
}

// action says in a few words what the call does.
func (c *call) action() string {
	what := clip.Line(c.title, 80)
	if len(c.locations) > 0 {
		what = clip.Line(c.shown(c.locations[0].Path), 80)
	}
	switch {
	case c.plan != "":
		return "planning"
	case what == "":
		return "working"
	case len(c.locations) > 0 && c.kind == "read":
		return "reading " + what
	case len(c.locations) > 0 && c.kind == "edit":
		return "editing " + what
	case c.kind == "execute":
		return "running " + strings.Trim(clip.Line(c.title, 80), "`")
	}
	return clip.Line(c.title, 80)
}

// stop gives a call a result because its turn was stopped. ending reports that the program ends.
func (c *call) stop(why string, ending bool) {
	if ending && c.called {
		why = agent.Unfinished(slices.Contains([]string{"read", "search", "think", "fetch"}, c.kind))
	}
	c.leave(why, chat.CallStopped)
}
