package openai

import (
	"encoding/json"
	"strings"

	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// stream reads the events of one answer.
type stream struct {
	calls calls
	tags  thinkTags

	text, thought, thought2 exchange.Halves // of content, and of reasoning under its two names

	finish string
}

// Event implements exchange.Parser.
func (s *stream) Event(a *exchange.Answer, name string, data []byte) error {
	var c chunk
	if err := exchange.Decode(data, &c); err != nil {
		switch {
		case name == "error":
			return a.Failed(data)
		case name != "" && name != "message" && name != "data":
			return nil // a ping or another event of the server's own
		}
		return a.Malformed(data, err)
	}
	switch {
	case present(c.Error), name == "error", c.Type == "error", c.Object == "error" && present(c.Message):
		return a.Failed(data)
	}
	if a.Model == "" {
		a.Model = c.Model
	}
	if c.Usage != nil {
		u := c.Usage.usage()
		a.Usage = &u
	}
	out := provider.Chunk{}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		if present(ch.Error) {
			return a.Failed(ch.Error)
		}
		s.take(ch.Delta, &out)
		if ch.FinishReason == "error" {
			return a.Failed(data)
		}
		if ch.FinishReason != "" {
			s.finish = finishReason(ch.FinishReason)
		}
	}
	if len(s.calls) > exchange.MaxCalls {
		return a.Malformed(data, exchange.ErrTooManyCalls)
	}
	a.Finish = s.finish
	if s.finish == "stop" && len(s.calls) > 0 {
		a.Finish = "tool_calls"
	}
	return a.Send(out)
}

// take adds the content of a delta to out.
func (s *stream) take(d delta, out *provider.Chunk) {
	if d.ReasoningContent.s+d.Reasoning.s+d.Content.thinking != "" {
		s.tags.off()
	}
	text, thought := s.tags.split(s.text.Add(d.Content.s))
	out.Text += text + strings.ToValidUTF8(d.Refusal.s, "\uFFFD")
	out.Reasoning += s.thought.Add(d.ReasoningContent.s) + thought
	if d.ReasoningContent.s == "" {
		out.Reasoning += s.thought2.Add(d.Reasoning.s) // some send the same under both names
	}
	out.Reasoning += strings.ToValidUTF8(d.Content.thinking, "\uFFFD")
	if f := d.FunctionCall; f != nil {
		d.ToolCalls = append(d.ToolCalls, callFragment{Function: *f})
	}
	if len(d.ToolCalls) > 0 {
		out.ToolCalls = append(out.ToolCalls, s.calls.add(d.ToolCalls)...)
	}
}

// Rest implements exchange.Parser.
func (s *stream) Rest() provider.Chunk {
	text, thought := s.tags.split(s.text.Rest())
	more, further := s.tags.rest()
	return provider.Chunk{Text: text + more, Reasoning: s.thought.Rest() + s.thought2.Rest() + thought + further}
}

func present(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != "{}" && string(raw) != `""`
}
