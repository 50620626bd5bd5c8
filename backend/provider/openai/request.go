package openai

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// Parts of a request that some servers refuse.
const (
	streamOptions   exchange.Features = 1 << iota // stream_options: usage at the end
	reasoningBack                                 // reasoning_content in assistant messages
	maxTokens                                     // max_tokens: use the newer name
	completionLimit                               // max_completion_tokens: use the older name
	callExtras                                    // what another server added to its calls
	signatures                                    // calls without a signature of Gemini's, which asks for one
	cacheKey                                      // prompt_cache_key
	cacheMarks                                    // cache_control in the parts of messages
)

// Refused implements exchange.Protocol.
func (wire) Refused(text string, off exchange.Features) exchange.Features {
	for _, x := range []struct {
		feature exchange.Features
		word    string
	}{
		{streamOptions, "stream_options"}, {streamOptions, "include_usage"},
		{reasoningBack, "reasoning_content"},
		{maxTokens, "'max_tokens' is not supported"}, {maxTokens, "use 'max_completion_tokens'"},
		{completionLimit, "max_completion_tokens"},
		{signatures, "missing a thought_signature"}, {signatures, "missing a `thought_signature`"}, {signatures, "missing thought_signature"},
		{cacheKey, "prompt_cache_key"}, {cacheMarks, "cache_control"},
		{callExtras, "extra_content"}, {callExtras, "provider_specific_fields"},
	} {
		if off&x.feature != 0 || !strings.Contains(text, x.word) {
			continue
		}
		if x.feature == reasoningBack && (strings.Contains(text, "missing") || strings.Contains(text, "required")) {
			continue // the field is required, not refused
		}
		if x.feature == completionLimit && off&maxTokens != 0 {
			continue // neither name is taken: the error is the answer
		}
		return x.feature
	}
	return 0
}

// request is go-openai's, except for fields that it leaves out when they are
// empty although empty means something: a temperature of 0, a content of "".
type request struct {
	openai.ChatCompletionRequest
	Messages    *message `json:"messages,omitempty"` // never set: the body writes them
	Temperature *float64 `json:"temperature,omitempty"`
	CacheKey    string   `json:"prompt_cache_key,omitempty"`
}

// message is one message in the form of the API; append writes it.
type message struct {
	Role             chat.Role
	Content          any // string, *chat.Content, a list of parts, or nil
	Name             string
	ReasoningContent string
	ToolCalls        []chat.ToolCall
	ToolCallID       string
}

// part is go-openai's with documents, which it does not know.
type part struct {
	openai.ChatMessagePart
	File *chat.File `json:"file,omitempty"`
}

// Encode implements exchange.Protocol.
func (wire) Encode(req provider.Request, off exchange.Features, server *url.URL) (*exchange.Body, error) {
	r := request{Temperature: req.Temperature}
	r.Model, r.Stream, r.ReasoningEffort = req.Model, true, req.ReasoningEffort
	if off&cacheKey == 0 && server.Hostname() == openAI {
		r.CacheKey = req.CacheKey
	}
	if off&streamOptions == 0 {
		r.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if off&maxTokens != 0 || (off&completionLimit == 0 && newerLimit(req.Model)) {
		r.MaxCompletionTokens = req.MaxTokens
	} else {
		r.ChatCompletionRequest.MaxTokens = req.MaxTokens //lint:ignore SA1019 most servers know no other name
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, definition(t))
	}
	head, err := jsontext.Append(nil, r)
	if err != nil {
		return nil, err
	}
	messages := outgoing(req.Messages, off, server.Hostname())
	var marked map[int]any
	if req.MarkCache && off&cacheMarks == 0 {
		marked = markForCache(messages)
	}
	write := func(dst []byte, i int) ([]byte, error) {
		m := messageOf(&messages[i])
		if content, ok := marked[i]; ok {
			m.Content = content
		}
		return m.append(dst)
	}
	return exchange.NewBody(strings.TrimSuffix(string(head), "}")+`,"messages":[`, len(messages), write, `]}`), nil
}

func definition(t provider.ToolSpec) openai.Tool {
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: t.Name, Description: t.Description, Parameters: exchange.Schema(t),
	}}
}

// newerLimit reports whether a model is of the kind that only knows
// max_completion_tokens.
func newerLimit(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, p := range []string{"o1", "o3", "o4", "gpt-5"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// openAI is a host that accepts only the fields that it documents.
const openAI = "api.openai.com"

// unsigned replaces the signature that Gemini requires with the first call of an answer if another
// model made that answer: the value is from Google's documentation.
var unsigned = map[string]json.RawMessage{"extra_content": json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)}

// outgoing returns messages as they are sent to a server: no arguments are empty, and members that
// the server added to its calls are sent back. Reasoning is sent back only to models that think
// between tool calls and want it, in the current turn, and never to OpenAI, which does not know the
// field. The input is not changed; if no message has to change, it is returned as it is.
func outgoing(in []chat.Message, off exchange.Features, host string) []chat.Message {
	turn := 0
	for i, m := range in {
		if m.Role == chat.User {
			turn = i
		}
	}
	reasoning := off&reasoningBack == 0 && host != openAI
	extras := off&callExtras == 0 && host != openAI
	out, copied := in, false
	for i := range in {
		m := in[i]
		if !reasoning || i <= turn || len(m.ToolCalls) == 0 {
			m.ReasoningContent = ""
		}
		m.Kept = nil // the protocol has no place for it
		calls, changed := outgoingCalls(m.ToolCalls, extras, off&signatures != 0)
		if !changed && m.ReasoningContent == in[i].ReasoningContent && in[i].Kept == nil {
			continue
		}
		if !copied {
			out, copied = slices.Clone(in), true
		}
		m.ToolCalls = calls
		out[i] = m
	}
	return out
}

// outgoingCalls returns the calls of a message as they are sent to a server, and whether they
// differ from the input. extras: members that the server added are sent back; signed: the first
// call needs a signature.
func outgoingCalls(calls []chat.ToolCall, extras, signed bool) (out []chat.ToolCall, changed bool) {
	out = calls
	change := func(i int) *chat.ToolCall {
		if !changed {
			out, changed = slices.Clone(calls), true
		}
		return &out[i]
	}
	for i, c := range calls {
		if c.Type != string(openai.ToolTypeFunction) {
			change(i).Type = string(openai.ToolTypeFunction)
		}
		if strings.TrimSpace(c.Function.Arguments) == "" {
			change(i).Function.Arguments = "{}"
		}
		if !extras && c.Extra != nil {
			change(i).Extra = nil
		}
	}
	if signed && len(out) > 0 && len(out[0].Extra) == 0 {
		change(0).Extra = unsigned
	}
	return out, changed
}

func messageOf(m *chat.Message) message {
	return message{Role: m.Role, Name: m.Name, ToolCallID: m.ToolCallID, Content: content(m), ReasoningContent: m.ReasoningContent, ToolCalls: m.ToolCalls}
}

// content is that of a message in the form of the API; no tool result is empty.
func content(m *chat.Message) any {
	switch {
	case len(m.Content.Parts) > 0:
		parts := make([]part, 0, len(m.Content.Parts))
		for _, p := range m.Content.Parts {
			switch {
			case p.Type == chat.PartImage && p.ImageURL != nil:
				parts = append(parts, part{ChatMessagePart: openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL,
					ImageURL: &openai.ChatMessageImageURL{URL: p.ImageURL.URL, Detail: openai.ImageURLDetail(p.ImageURL.Detail)}}})
			case p.File != nil:
				parts = append(parts, part{ChatMessagePart: openai.ChatMessagePart{Type: openai.ChatMessagePartType(chat.PartFile)}, File: p.File})
			case p.Text != "":
				parts = append(parts, part{ChatMessagePart: openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Text}})
			}
		}
		if len(parts) > 0 {
			return parts
		}
	case m.Content.Size() > 0:
		return &m.Content
	}
	switch {
	case m.Role == chat.Tool:
		return "(no output)"
	case m.Role == chat.Assistant && len(m.ToolCalls) > 0:
		return nil
	}
	return ""
}
