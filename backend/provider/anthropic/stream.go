package anthropic

import (
	"encoding/json"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// stream reads the events of one answer.
type stream struct {
	maker  string
	blocks map[int]*block // by their index
	open   []*block       // begun and not ended, in order
	calls  int
	usage  usage
}

// block is a block of the answer, as received so far.
type block struct {
	index     int
	kind      string
	half      exchange.Halves
	thought   strings.Builder
	signature strings.Builder
	data      string          // of a thought that is encrypted
	call      int             // which call of the answer it is
	input     json.RawMessage // of a call that arrives complete
	some      bool            // arguments came
}

// event is one event with the fields of all of them.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Model string `json:"model"`
		Usage *usage `json:"usage"`
	} `json:"message"`
	Block struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      exchange.String `json:"text"`
		Thinking  exchange.String `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		Input     json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type       string          `json:"type"`
		Text       exchange.String `json:"text"`
		Thinking   exchange.String `json:"thinking"`
		Signature  string          `json:"signature"`
		JSON       exchange.String `json:"partial_json"`
		StopReason string          `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

// usage counts input in three parts: read from the cache, written to it, and the rest.
type usage struct {
	Input   int `json:"input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// later merges the usage of a later event: numbers only grow.
func (u *usage) later(v usage) {
	u.Input, u.Written = max(u.Input, v.Input), max(u.Written, v.Written)
	u.Read, u.Output = max(u.Read, v.Read), max(u.Output, v.Output)
}

func (u usage) tokens() *chat.Usage {
	return &chat.Usage{Input: u.Input + u.Written + u.Read, Cached: u.Read, Output: u.Output}
}

// Event implements exchange.Parser.
func (s *stream) Event(a *exchange.Answer, name string, data []byte) error {
	var e event
	err := exchange.Decode(data, &e)
	switch {
	case name == "error" || e.Type == "error":
		return a.Failed(data)
	case err != nil:
		return a.Malformed(data, err)
	}
	switch e.Type {
	case "message_start":
		a.Model = e.Message.Model
		s.count(a, e.Message.Usage)
	case "content_block_start":
		return s.begin(a, e, data)
	case "content_block_delta":
		return s.add(a, e)
	case "content_block_stop":
		if b := s.blocks[e.Index]; b != nil {
			return s.end(a, b)
		}
	case "message_delta":
		s.count(a, e.Usage)
		if e.Delta.StopReason != "" {
			return s.finish(a, e.Delta.StopReason)
		}
	case "message_stop":
		if a.Finish == "" {
			return s.finish(a, "end_turn")
		}
	}
	return nil
}

func (s *stream) count(a *exchange.Answer, u *usage) {
	if u != nil {
		s.usage.later(*u)
		a.Usage = s.usage.tokens()
	}
}

// finish notes the end of the answer. A server may leave blocks open.
func (s *stream) finish(a *exchange.Answer, reason string) error {
	for len(s.open) > 0 {
		if err := s.end(a, s.open[0]); err != nil {
			return err
		}
	}
	a.Finish = finishReason(reason, s.calls > 0)
	return nil
}

// finishReason returns the word of provider.Chunk for the API's.
func finishReason(reason string, calls bool) string {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "refusal":
		return "content_filter"
	case "tool_use":
		return "tool_calls"
	}
	if calls {
		return "tool_calls"
	}
	return "stop"
}

func (s *stream) begin(a *exchange.Answer, e event, data []byte) error {
	if old := s.blocks[e.Index]; old != nil {
		if err := s.end(a, old); err != nil {
			return err
		}
	}
	b := &block{index: e.Index, kind: e.Block.Type, data: e.Block.Data}
	s.blocks[e.Index] = b
	s.open = append(s.open, b)
	b.signature.WriteString(e.Block.Signature)
	switch b.kind {
	case "text":
		return a.Send(provider.Chunk{Text: b.half.Add(string(e.Block.Text))})
	case "thinking":
		return s.think(a, b, string(e.Block.Thinking))
	case "tool_use":
		if s.calls >= exchange.MaxCalls {
			return a.Malformed(data, exchange.ErrTooManyCalls)
		}
		b.call, b.input = s.calls, e.Block.Input
		s.calls++
		return a.Send(provider.Chunk{ToolCalls: []provider.ToolCallDelta{{Index: b.call, ID: exchange.CallID(e.Block.ID), Name: e.Block.Name}}})
	}
	return nil
}

func (s *stream) add(a *exchange.Answer, e event) error {
	b := s.blocks[e.Index]
	if b == nil { // it was not begun
		b = &block{index: e.Index, kind: strings.TrimSuffix(e.Delta.Type, "_delta")}
		s.blocks[e.Index] = b
		s.open = append(s.open, b)
	}
	switch e.Delta.Type {
	case "text_delta":
		return a.Send(provider.Chunk{Text: b.half.Add(string(e.Delta.Text))})
	case "thinking_delta":
		return s.think(a, b, string(e.Delta.Thinking))
	case "signature_delta":
		b.signature.WriteString(e.Delta.Signature)
	case "input_json_delta":
		if b.kind == "tool_use" {
			return s.arguments(a, b, string(e.Delta.JSON))
		}
	}
	return nil
}

func (s *stream) think(a *exchange.Answer, b *block, piece string) error {
	piece = b.half.Add(piece)
	b.thought.WriteString(piece)
	return a.Send(provider.Chunk{Reasoning: piece})
}

func (s *stream) arguments(a *exchange.Answer, b *block, piece string) error {
	if piece = b.half.Add(piece); piece == "" {
		return nil
	}
	b.some = true
	return a.Send(provider.Chunk{ToolCalls: []provider.ToolCallDelta{{Index: b.call, Arguments: piece}}})
}

// end ends a block: it sends text that was held back, and keeps a thought as it was received.
func (s *stream) end(a *exchange.Answer, b *block) error {
	delete(s.blocks, b.index)
	for i := range s.open {
		if s.open[i] == b {
			s.open = append(s.open[:i], s.open[i+1:]...)
			break
		}
	}
	rest := b.half.Rest()
	switch b.kind {
	case "text":
		return a.Send(provider.Chunk{Text: rest})
	case "thinking":
		b.thought.WriteString(rest)
		err := a.Send(provider.Chunk{Reasoning: rest})
		if b.signature.Len() > 0 {
			s.keep(a, keptThought{Type: "thinking", Thinking: new(b.thought.String()), Signature: b.signature.String()})
		}
		return err
	case "redacted_thinking":
		s.keep(a, keptThought{Type: "redacted_thinking", Data: b.data})
	case "tool_use":
		if whole := string(b.input); !b.some && strings.HasPrefix(whole, "{") && whole != "{}" {
			rest = whole
		}
		if rest != "" {
			return a.Send(provider.Chunk{ToolCalls: []provider.ToolCallDelta{{Index: b.call, Arguments: rest}}})
		}
	}
	return nil
}

// keptThought is a thought as the API wants it back.
type keptThought struct {
	Type      string  `json:"type"`
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
}

func (s *stream) keep(a *exchange.Answer, t keptThought) {
	if item, err := jsontext.Marshal(t); err == nil {
		a.Keep(s.maker, item)
	}
}

// Rest implements exchange.Parser.
func (s *stream) Rest() provider.Chunk {
	var c provider.Chunk
	for _, b := range s.open {
		switch rest := b.half.Rest(); b.kind {
		case "text":
			c.Text += rest
		case "thinking":
			c.Reasoning += rest
		}
	}
	return c
}
