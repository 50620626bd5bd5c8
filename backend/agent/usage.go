package agent

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
	"mutsumi/backend/tokens"
)

// countAnew makes inputTokens begin with the definitions of tools.
func (r *run) countAnew() {
	r.input, r.counted = 0, 0
	for _, t := range r.request.Tools {
		r.input += ToolTokens(r.cfg.Tokens, t)
	}
}

// inputTokens counts the tokens of the current request, for servers that report no usage.
func (r *run) inputTokens() int {
	for ; r.counted < len(r.request.Messages); r.counted++ {
		r.input += MessageTokens(r.cfg.Tokens, r.request.Messages[r.counted])
	}
	return r.input
}

// MessageTokens counts a message as it is sent. Thoughts are sent back only with calls.
func MessageTokens(c *tokens.Counter, m chat.Message) int {
	n := 0
	if m.Content.Parts == nil {
		n += c.Count(m.Content.String())
	}
	for _, p := range m.Content.Parts {
		switch {
		case p.Type == chat.PartImage:
			n += tokens.Image(c.Model(), 0, 0)
		case p.File != nil:
			n += tokens.Document(c.Model(), p.File.Pages, p.File.Size())
		default:
			n += c.Count(p.Text)
		}
	}
	if len(m.ToolCalls) > 0 {
		n += c.Count(m.ReasoningContent)
	}
	for _, call := range m.ToolCalls {
		n += c.Count(call.Function.Name) + c.Count(call.Function.Arguments)
	}
	return n
}

// ToolTokens estimates the definition of a tool: it is not known how a server presents it to its
// model.
func ToolTokens(c *tokens.Counter, t provider.ToolSpec) int {
	return c.Count(t.Name) + c.Count(t.Description) + c.Count(string(t.Parameters))
}

// tokens counts what has arrived, as the tree does while it arrives.
func (a *answer) tokens(c *tokens.Counter) int {
	s := c.Stream()
	s.Add(a.text.String())
	s.Add(a.reasoning.String())
	for _, call := range a.calls {
		s.Add(call.name)
		s.Add(call.args.String())
	}
	return s.Tokens()
}
