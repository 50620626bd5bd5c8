package notebook

import (
	"encoding/json"
	"fmt"
	"slices"

	"mutsumi/backend/chat"
	"mutsumi/backend/lenientjson"
)

// InterruptedResult is sent as the result of a tool call that has none.
const InterruptedResult = "The tool call was interrupted before it gave a result."

// Sendable repairs messages so that any chat API accepts them (SPEC 1.5): a tool call without a
// result gets one saying that it was interrupted, a result without a call is dropped, misplaced
// results are moved behind their call, in the order of the calls. Of several results of one call
// the last counts. Truncated arguments are closed, calls without an id get one. Empty assistant
// messages, and messages of unknown roles, are dropped. Neither messages nor their content is
// changed.
func Sendable(messages []chat.Message) []chat.Message {
	if inOrder(messages) {
		return slices.Clip(messages)
	}
	return repaired(messages)
}

func repaired(messages []chat.Message) []chat.Message {
	messages = named(messages)
	results := map[string][]int{} // id -> where its results are
	for i, m := range messages {
		if m.Role == chat.Tool {
			results[m.ToolCallID] = append(results[m.ToolCallID], i)
		}
	}
	calls := map[string][]int{} // id -> where it is called: some servers restart counting in each answer
	for i, m := range messages {
		if m.Role == chat.Assistant {
			for _, c := range m.ToolCalls {
				calls[c.ID] = append(calls[c.ID], i)
			}
		}
	}
	out := make([]chat.Message, 0, len(messages))
	for i, m := range messages {
		switch m.Role {
		case chat.User, chat.System:
			if m.Content.IsEmpty() { // null and an empty list are refused
				m.Content = chat.Text("")
			}
			out = append(out, m)
		case chat.Assistant:
			if m.Content.IsEmpty() && len(m.ToolCalls) == 0 {
				continue
			}
			if m.Content.IsEmpty() {
				m.Content = chat.Content{Null: true}
			}
			m.ToolCalls = sound(distinct(m.ToolCalls))
			out = append(out, m)
			for _, c := range m.ToolCalls {
				out = append(out, resultOf(messages, c, results[c.ID], calls[c.ID], i))
			}
		}
	}
	return out
}

// inOrder reports whether Sendable has nothing to repair.
func inOrder(messages []chat.Message) bool {
	for i := 0; i < len(messages); i++ {
		m := &messages[i]
		switch empty := m.Content.IsEmpty(); {
		case m.Role != chat.User && m.Role != chat.System && m.Role != chat.Assistant:
			return false
		case empty && (m.Role != chat.Assistant || len(m.ToolCalls) == 0 || !m.Content.Null || m.Content.Parts != nil):
			return false
		case len(m.ToolCalls) > 64: // comparing their ids takes long
			return false
		case m.Role == chat.Assistant:
			for k, c := range m.ToolCalls {
				i++
				if i == len(messages) || !answers(&messages[i], c) || slices.ContainsFunc(m.ToolCalls[:k], func(o chat.ToolCall) bool { return o.ID == c.ID }) {
					return false
				}
			}
		}
	}
	return true
}

// answers reports whether a message is the result of a call, and both are as Sendable makes them.
func answers(m *chat.Message, c chat.ToolCall) bool {
	return m.Role == chat.Tool && c.ID != "" && m.ToolCallID == c.ID && m.Name != "" && !m.Content.IsEmpty() && json.Valid([]byte(c.Function.Arguments))
}

// named gives calls without an id one, and the results without an id that
// follow them the same, in order.
func named(messages []chat.Message) []chat.Message {
	if !slices.ContainsFunc(messages, func(m chat.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool { return c.ID == "" })
	}) {
		return messages
	}
	messages = slices.Clone(messages)
	var waiting []string
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == chat.Assistant:
			m.ToolCalls, waiting = slices.Clone(m.ToolCalls), nil
			for k := range m.ToolCalls {
				if c := &m.ToolCalls[k]; c.ID == "" {
					c.ID = fmt.Sprintf("call_%d_%d", i, k)
					waiting = append(waiting, c.ID)
				}
			}
		case m.Role == chat.Tool && m.ToolCallID == "" && len(waiting) > 0:
			m.ToolCallID, waiting = waiting[0], waiting[1:]
		}
	}
	return messages
}

// sound closes arguments that are not JSON: a stream broke off in them, and
// servers that parse them would refuse the whole request.
func sound(calls []chat.ToolCall) []chat.ToolCall {
	broken := func(c chat.ToolCall) bool { return !json.Valid([]byte(c.Function.Arguments)) }
	if !slices.ContainsFunc(calls, broken) {
		return calls
	}
	calls = slices.Clone(calls)
	for i := range calls {
		if f := &calls[i].Function; broken(calls[i]) {
			if mended := lenientjson.Value([]byte(f.Arguments)); isObject(mended) {
				f.Arguments = string(mended)
			} else {
				f.Arguments = "{}"
			}
		}
	}
	return calls
}

// distinct removes calls that repeat an id within one message: no API could distinguish their
// results.
func distinct(calls []chat.ToolCall) []chat.ToolCall {
	seen := make(map[string]bool, len(calls))
	for i, c := range calls {
		if seen[c.ID] {
			kept := slices.Clone(calls[:i])
			for _, c := range calls[i:] {
				if !seen[c.ID] {
					kept = append(kept, c)
				}
				seen[c.ID] = true
			}
			return kept
		}
		seen[c.ID] = true
	}
	return calls
}

// resultOf picks the result of a call in message at. If the same id is called several times, a
// result belongs to the last call before it, or to the first call if it precedes all of them.
func resultOf(messages []chat.Message, c chat.ToolCall, results, calls []int, at int) chat.Message {
	n, _ := slices.BinarySearch(calls, at)
	from, to := at, len(messages)
	if n == 0 {
		from = -1
	}
	for n < len(calls) && calls[n] == at {
		n++
	}
	if n < len(calls) {
		to = calls[n]
	}
	end, _ := slices.BinarySearch(results, to)
	if end > 0 && results[end-1] > from {
		m := messages[results[end-1]]
		if m.Content.IsEmpty() {
			m.Content = chat.Text("")
		}
		if m.Name == "" {
			m.Name = c.Function.Name
		}
		return m
	}
	return chat.Message{Role: chat.Tool, Content: chat.Text(InterruptedResult), ToolCallID: c.ID, Name: c.Function.Name}
}
