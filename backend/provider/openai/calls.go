package openai

import (
	"encoding/json"

	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// calls puts the fragments of an answer's tool calls in order. Its key is the server's index, which
// servers use in different ways.
type calls map[int]*call

type call struct {
	index int    // in the answer
	id    string // as sent by the server
	name  string
	args  []byte
	extra map[string]json.RawMessage
	named bool // by the server: the id is not ours
	begun bool // the first fragment was emitted
	half  exchange.Halves
}

// add processes fragments and returns those to emit: the first fragment of a call has ID and Name,
// later ones have neither. A fragment without an index belongs to the call with its id, otherwise
// to the last one; a call without an id gets one; fragments before the name are held back until the
// name arrives.
func (c calls) add(fragments []callFragment) []provider.ToolCallDelta {
	out := make([]provider.ToolCallDelta, 0, len(fragments))
	for _, f := range fragments {
		k := c.find(f)
		if d, ok := k.take(f); ok {
			out = append(out, d)
		}
	}
	return out
}

// find returns the call that a fragment belongs to.
func (c calls) find(f callFragment) *call {
	key := c.key(f)
	k := c[key]
	if k != nil && (k.isBefore(f) || k.isWholeBefore(f)) {
		// Another call under the same index: Gemini sends every call with index 0.
		c[-1-k.index] = k
		k = nil
	}
	if k == nil {
		k = &call{index: len(c)}
		if old, ok := c[key]; ok && old != nil {
			k.index = len(c) - 1 // the old one was moved to a key of its own
		}
		c[key] = k
	}
	return k
}

// isBefore reports whether a fragment begins another call, by its id.
func (k *call) isBefore(f callFragment) bool {
	return f.ID != "" && k.id != "" && f.ID != k.id && f.Function.Name != "" && begins(f) && (len(k.args) == 0 || json.Valid(k.args))
}

// isWholeBefore reports whether the call is complete and the fragment begins another one, for
// servers that send no ids: it starts another object or names another tool.
func (k *call) isWholeBefore(f callFragment) bool {
	if f.ID != "" || k.named || k.name == "" || f.Function.Name == "" || !begins(f) {
		return false
	}
	other, whole := f.Function.Name != k.name, len(k.args) > 0 && json.Valid(k.args)
	if f.Function.Arguments == "" {
		return other && whole
	}
	return whole || other && len(k.args) == 0
}

func (c calls) key(f callFragment) int {
	if f.Index != nil && *f.Index >= 0 {
		return *f.Index
	}
	last, newest := 0, -1
	for key, k := range c {
		if f.ID != "" && k.id == f.ID {
			return key
		}
		if k.index > newest && key >= 0 {
			last, newest = key, k.index
		}
	}
	if newest >= 0 && (f.ID != "" && f.ID != c[last].id || f.ID == "" && f.Function.Name != "" && begins(f) && json.Valid(c[last].args)) {
		return last + 1
	}
	return last
}

// begins reports whether a fragment may be the first of a call: its arguments are empty, or the
// beginning of an object.
func begins(f callFragment) bool {
	return f.Function.Arguments == "" || f.Function.Arguments[0] == '{'
}

// take adds a fragment to the call.
func (k *call) take(f callFragment) (provider.ToolCallDelta, bool) {
	if k.id == "" {
		k.id, k.named = f.ID, f.ID != ""
	}
	if k.name == "" {
		k.name = f.Function.Name
	}
	args := k.half.Add(string(f.Function.Arguments))
	k.args = append(k.args, args...)
	if k.begun {
		return provider.ToolCallDelta{Index: k.index, Arguments: args, Extra: f.extra}, args != "" || f.extra != nil
	}
	k.extra = provider.WithExtra(k.extra, f.extra)
	if k.name == "" {
		return provider.ToolCallDelta{}, false
	}
	k.begun = true
	k.id = exchange.CallID(k.id)
	return provider.ToolCallDelta{Index: k.index, ID: k.id, Name: k.name, Arguments: string(k.args), Extra: k.extra}, true
}
