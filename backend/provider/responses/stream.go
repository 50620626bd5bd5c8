package responses

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
	maker string
	items map[int]*item // by their output index
	calls int
	text  exchange.Halves // of text and refusals
	mind  exchange.Halves // of thoughts
	told  bool            // a thought was sent: the next one begins a paragraph
	said  bool            // likewise of text
}

// item is an item of the answer, as received so far.
type item struct {
	kind string
	half exchange.Halves
	call int  // which call of the answer it is
	some bool // text or arguments came
}

// event is one event with the fields of all of them.
type event struct {
	Type     string          `json:"type"`
	Index    int             `json:"output_index"`
	Delta    exchange.String `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response struct {
		Model      string          `json:"model"`
		Status     string          `json:"status"`
		Error      json.RawMessage `json:"error"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *usage `json:"usage"`
	} `json:"response"`
}

// item reads the event's item; a value that is not an object has no members.
func (e event) item(v any) error {
	if !strings.HasPrefix(string(e.Item), "{") {
		return nil
	}
	return exchange.Decode(e.Item, v)
}

// output is an item as events have it.
type output struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments exchange.String `json:"arguments"`
	Phase     string          `json:"phase"`
	Encrypted string          `json:"encrypted_content"`
	Content   []struct {
		Type    string          `json:"type"`
		Text    exchange.String `json:"text"`
		Refusal exchange.String `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text exchange.String `json:"text"`
	} `json:"summary"`
}

// keptItem holds the fields of a kept item that are read: a reasoning item as it came, or
// the phase of a message.
type keptItem struct {
	Type  string `json:"type"`
	Phase string `json:"phase,omitempty"`
}

type usage struct {
	Input   int `json:"input_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u usage) tokens() *chat.Usage {
	input, output := max(u.Input, 0), max(u.Output, 0)
	return &chat.Usage{Input: input, Cached: min(max(u.Details.Cached, 0), input), Output: output, Reasoning: min(max(u.OutputDetails.Reasoning, 0), output)}
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
	if a.Model == "" {
		a.Model = e.Response.Model
	}
	if e.Response.Usage != nil {
		a.Usage = e.Response.Usage.tokens()
	}
	switch e.Type {
	case "response.output_item.added":
		return s.begin(a, e, data)
	case "response.output_item.done":
		return s.end(a, e, data)
	case "response.output_text.delta", "response.refusal.delta":
		s.some(e.Index)
		s.said = true
		return a.Send(provider.Chunk{Text: s.text.Add(string(e.Delta))})
	case "response.reasoning_summary_part.added":
		if s.told {
			return a.Send(provider.Chunk{Reasoning: s.mind.Rest() + "\n\n"})
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.some(e.Index)
		s.told = true
		return a.Send(provider.Chunk{Reasoning: s.mind.Add(string(e.Delta))})
	case "response.function_call_arguments.delta":
		if i := s.items[e.Index]; i != nil && i.kind == "function_call" {
			return s.arguments(a, i, string(e.Delta))
		}
	case "response.completed", "response.incomplete", "response.failed":
		return s.finish(a, e, data)
	}
	return nil
}

func (s *stream) some(index int) {
	if i := s.items[index]; i != nil {
		i.some = true
	}
}

// finish records how the answer ended.
func (s *stream) finish(a *exchange.Answer, e event, data []byte) error {
	switch {
	case e.Type == "response.failed" || e.Response.Status == "failed":
		if len(e.Response.Error) > 0 && string(e.Response.Error) != "null" {
			data = e.Response.Error
		}
		return a.Failed(data)
	case e.Response.Incomplete.Reason == "content_filter":
		a.Finish = "content_filter"
	case e.Type == "response.incomplete" || e.Response.Status == "incomplete":
		a.Finish = "length"
	case s.calls > 0:
		a.Finish = "tool_calls"
	default:
		a.Finish = "stop"
	}
	return nil
}

// begin takes the beginning of an item.
func (s *stream) begin(a *exchange.Answer, e event, data []byte) error {
	var o output
	if err := e.item(&o); err != nil {
		return a.Malformed(data, err)
	}
	if err := a.Send(s.Rest()); err != nil {
		return err
	}
	i := &item{kind: o.Type}
	s.items[e.Index] = i
	switch o.Type {
	case "message":
		if s.said {
			if err := a.Send(provider.Chunk{Text: "\n\n"}); err != nil {
				return err
			}
		}
		if o.Phase != "" {
			if kept, err := jsontext.Marshal(keptItem{o.Type, o.Phase}); err == nil {
				a.Keep(s.maker, kept)
			}
		}
	case "reasoning":
		if s.told {
			return a.Send(provider.Chunk{Reasoning: "\n\n"})
		}
	case "function_call":
		if s.calls >= exchange.MaxCalls {
			return a.Malformed(data, exchange.ErrTooManyCalls)
		}
		i.call = s.calls
		s.calls++
		if err := a.Send(provider.Chunk{ToolCalls: []provider.ToolCallDelta{{Index: i.call, ID: exchange.CallID(o.CallID), Name: o.Name}}}); err != nil {
			return err
		}
		return s.arguments(a, i, string(o.Arguments))
	}
	return nil
}

func (s *stream) arguments(a *exchange.Answer, i *item, piece string) error {
	if piece = i.half.Add(piece); piece == "" {
		return nil
	}
	i.some = true
	return a.Send(provider.Chunk{ToolCalls: []provider.ToolCallDelta{{Index: i.call, Arguments: piece}}})
}

// end takes a whole item: the parts that did not come in pieces are sent, and
// encrypted reasoning is kept as it came.
func (s *stream) end(a *exchange.Answer, e event, data []byte) error {
	var o output
	if err := e.item(&o); err != nil {
		return a.Malformed(data, err)
	}
	if s.items[e.Index] == nil {
		whole := e
		var bare struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
			Name   string `json:"name"`
			Phase  string `json:"phase"`
		}
		if err := e.item(&bare); err != nil {
			return a.Malformed(data, err)
		}
		whole.Item, _ = json.Marshal(bare) // of strings
		if err := s.begin(a, whole, data); err != nil {
			return err
		}
	}
	i := s.items[e.Index]
	var rest provider.Chunk
	switch o.Type {
	case "message":
		for _, p := range o.Content {
			rest.Text += string(p.Text) + string(p.Refusal)
		}
	case "reasoning":
		var parts []string
		for _, p := range o.Summary {
			parts = append(parts, string(p.Text))
		}
		rest.Reasoning = strings.Join(parts, "\n\n")
	case "function_call":
		if !i.some {
			return s.arguments(a, i, string(o.Arguments))
		}
		return nil
	}
	if i.some {
		rest = s.Rest()
	}
	s.told, s.said = s.told || rest.Reasoning != "", s.said || rest.Text != ""
	rest.Text, rest.Reasoning = strings.ToValidUTF8(rest.Text, "\uFFFD"), strings.ToValidUTF8(rest.Reasoning, "\uFFFD")
	err := a.Send(rest)
	if o.Type == "reasoning" && o.Encrypted != "" {
		a.Keep(s.maker, e.Item)
	}
	return err
}

// Rest implements exchange.Parser.
func (s *stream) Rest() provider.Chunk {
	return provider.Chunk{Text: s.text.Rest(), Reasoning: s.mind.Rest()}
}
