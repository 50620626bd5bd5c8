package openai

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
)

// append appends the message as compact JSON. Texts are copied and escaped once: a conversation is
// sent again with every step of an agent. It returns an error if a server added invalid JSON to a
// call.
func (m *message) append(dst []byte) (_ []byte, err error) {
	dst = jsontext.AppendString(append(dst, `{"role":`...), string(m.Role))
	dst = append(dst, `,"content":`...)
	switch c := m.Content.(type) {
	case string:
		dst = jsontext.AppendString(dst, c)
	case *chat.Content:
		dst = c.AppendJSON(dst)
	default: // a list of parts, or nil
		if dst, err = jsontext.Append(dst, c); err != nil {
			return nil, err
		}
	}
	dst = appendMember(dst, "name", m.Name)
	dst = appendMember(dst, "reasoning_content", m.ReasoningContent)
	for i, c := range m.ToolCalls {
		if i == 0 {
			dst = append(dst, `,"tool_calls":[`...)
		} else {
			dst = append(dst, ',')
		}
		if dst, err = appendCall(dst, c); err != nil {
			return nil, err
		}
	}
	if len(m.ToolCalls) > 0 {
		dst = append(dst, ']')
	}
	dst = appendMember(dst, "tool_call_id", m.ToolCallID)
	return append(dst, '}'), nil
}

// appendMember appends a member with a comma before it; nothing for an empty value.
func appendMember(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return jsontext.AppendString(dst, value)
}

func appendCall(dst []byte, c chat.ToolCall) ([]byte, error) {
	if len(c.Extra) > 0 {
		return jsontext.Append(dst, c)
	}
	dst = jsontext.AppendString(append(dst, `{"id":`...), c.ID)
	dst = jsontext.AppendString(append(dst, `,"type":`...), c.Type)
	dst = jsontext.AppendString(append(dst, `,"function":{"name":`...), c.Function.Name)
	dst = jsontext.AppendString(append(dst, `,"arguments":`...), c.Function.Arguments)
	return append(dst, '}', '}'), nil
}
