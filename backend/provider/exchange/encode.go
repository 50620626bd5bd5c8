package exchange

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
)

// Decode reads an event or a part of one. A field of the wrong type is left out without harming the
// others.
func Decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && odd.Field != "" {
		return nil
	}
	return err
}

// Instructions takes the system messages at the beginning apart, for protocols
// that have a place of their own for them.
func Instructions(messages []chat.Message) (system string, rest []chat.Message) {
	var texts []string
	for len(messages) > 0 && messages[0].Role == chat.System {
		if s := messages[0].Content.String(); strings.TrimSpace(s) != "" {
			texts = append(texts, s)
		}
		messages = messages[1:]
	}
	return strings.Join(texts, "\n\n"), messages
}

// WithoutReasoning returns req without thoughts in clear text, for protocols that send only kept
// ones back, and with only the kept ones of maker.
func WithoutReasoning(req provider.Request, maker string) provider.Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		m := &req.Messages[i]
		m.ReasoningContent = ""
		if m.Kept == nil {
			continue
		}
		kept := &chat.Kept{Maker: maker}
		n := 0
		for _, p := range Pieces(*m, maker) {
			if p.Kept != nil {
				n++
			}
		}
		for _, item := range m.Kept.For(maker) {
			if n > len(kept.Items) && isItem(item) {
				kept.Items = append(kept.Items, item)
			}
		}
		m.Kept = kept
	}
	return req
}

// AppendTools writes the member "tools" after another one, nothing if there are none.
func AppendTools(dst []byte, tools []provider.ToolSpec, tool func([]byte, provider.ToolSpec) ([]byte, error)) ([]byte, error) {
	for i, t := range tools {
		if i == 0 {
			dst = append(dst, `,"tools":[`...)
		} else {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = tool(dst, t); err != nil {
			return nil, err
		}
	}
	if len(tools) > 0 {
		dst = append(dst, ']')
	}
	return dst, nil
}

// Schema returns the JSON schema of a tool's parameters, of none if it has none.
func Schema(t provider.ToolSpec) json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}
