package notebook

import (
	"encoding/json"
	"fmt"
	"slices"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
)

// MuteResult withholds the result of a call from models, or sends it again, as one undo step. The
// error is NotFound if the cell or the result does not exist.
func (s Summaries) MuteResult(cell, call string, on bool) (Change, error) {
	name := "send a result"
	if on {
		name = "mute a result"
	}
	return s.markResult(name, KeyMutedCalls, cell, call, on, func(k *marks) []string { return k.mutedCalls })
}

// PinResult pins or unpins the result of a call, as one undo step: a pinned result is not cut, and
// no summary covers its cell. Errors are those of MuteResult.
func (s Summaries) PinResult(cell, call string, on bool) (Change, error) {
	name := "unpin a result"
	if on {
		name = "pin a result"
	}
	return s.markResult(name, KeyPinnedCalls, cell, call, on, func(k *marks) []string { return k.pinnedCalls })
}

// markResult puts a call into a list of a prompt's metadata, or takes it out.
func (s Summaries) markResult(name, key, cell, call string, on bool, list func(*marks) []string) (Change, error) {
	at, err := s.d.cells.find(cell)
	if err != nil {
		return Change{}, err
	}
	c := s.d.cells.list[at]
	if !slices.ContainsFunc(c.answer, func(m *message) bool { return m.role == chat.Tool && m.decode().ToolCallID == call }) {
		return Change{}, fault.New(fault.NotFound, "there is no result of call %s in this cell", call)
	}
	calls := slices.DeleteFunc(slices.Clone(list(c.marks())), func(id string) bool { return id == call })
	if on {
		calls = append(calls, call)
	}
	var raw json.RawMessage
	if len(calls) > 0 {
		if raw, err = json.Marshal(calls); err != nil {
			return Change{}, err
		}
	}
	return s.d.ChangePrompts(name, key, map[string]json.RawMessage{cell: raw})
}

// sent is a message of the answer as models get it: of a muted result they get how
// long it is.
func (c *cell) sent(m *message) Message {
	x := m.handed()
	if muted := c.marks().mutedCalls; len(muted) > 0 && m.role == chat.Tool && slices.Contains(muted, x.ToolCallID) {
		x.Content = chat.Text(fmt.Sprintf("[The person left this result out: %d bytes. Call the tool again if you need it.]", len(x.Content.String())))
	}
	return x
}

// Muted returns what models would additionally get without muting: the messages of muted cells, and
// muted results, in cells that no summary covers.
func (s Summaries) Muted() (messages []Message) {
	covered := s.d.cells.covered(len(s.d.cells.list))
	for _, c := range s.d.cells.list {
		k := c.marks()
		switch {
		case covered[c.id] || !k.muted && len(k.mutedCalls) == 0:
			continue
		case k.muted && c.prompt != nil:
			messages = append(messages, c.prompt.decode())
		}
		for _, m := range c.answer {
			if x := m.decode(); k.muted || m.role == chat.Tool && slices.Contains(k.mutedCalls, x.ToolCallID) {
				messages = append(messages, x)
			}
		}
	}
	return messages
}

// PinnedCalls returns the ids of the calls whose results are never cut: those of pinned cells, and
// pinned ones.
func (s Summaries) PinnedCalls() map[string]bool {
	calls := map[string]bool{}
	for _, c := range s.d.cells.list {
		for _, call := range c.marks().pinnedCalls {
			calls[call] = true
		}
		if !c.marks().pinned {
			continue
		}
		for _, m := range c.answer {
			if m.role == chat.Tool {
				calls[m.decode().ToolCallID] = true
			}
		}
	}
	return calls
}

// CoveredCalls returns the calls of the cells before one that a summary covers; "": before a new
// one at the end.
func (s Summaries) CoveredCalls(before string) (calls []chat.ToolCall) {
	end := len(s.d.cells.list)
	if before != "" {
		at, err := s.d.cells.find(before)
		if err != nil {
			return nil
		}
		end = at
	}
	covered := s.d.cells.covered(end)
	for _, c := range s.d.cells.list[:end] {
		if !covered[c.id] {
			continue
		}
		for _, m := range c.answer {
			if m.role == chat.Assistant {
				calls = append(calls, m.decode().ToolCalls...)
			}
		}
	}
	return calls
}

// Saved counts the tokens that summaries save per request, by their records.
func (s Summaries) Saved() (tokens int) {
	covered := s.d.cells.covered(len(s.d.cells.list))
	for _, c := range s.d.cells.list {
		if k := c.marks().compaction; k != nil && !k.Off && !covered[c.id] {
			tokens += max(0, k.Before-k.After)
		}
	}
	return tokens
}
