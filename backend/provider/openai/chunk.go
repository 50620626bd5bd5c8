package openai

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider/exchange"
)

// chunk is one event of a stream, with the fields of all the servers that
// differ from each other. It is not go-openai's type because that one has no
// `reasoning`, no errors and fails as a whole when a single field is odd.
type chunk struct {
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`  // "error" for older vLLM, with message
	Message json.RawMessage `json:"message"` // of such an error
	Type    string          `json:"type"`    // "error" for Anthropic, with error
}

type choice struct {
	Index        int             `json:"index"`
	Delta        delta           `json:"delta"`
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"` // OpenRouter
}

type delta struct {
	Content          text           `json:"content"`
	Refusal          text           `json:"refusal"`
	ReasoningContent text           `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Reasoning        text           `json:"reasoning"`         // OpenRouter, Groq, Ollama
	ToolCalls        []callFragment `json:"tool_calls"`
	FunctionCall     *function      `json:"function_call"` // before there were tool calls
}

type callFragment struct {
	Index    *int     `json:"index"`
	ID       string   `json:"id"`
	Function function `json:"function"`
	extra    map[string]json.RawMessage
}

// UnmarshalJSON reads a fragment including unknown members. Fields of the wrong type are left out.
func (f *callFragment) UnmarshalJSON(b []byte) error {
	type plain callFragment
	err := json.Unmarshal(b, (*plain)(f))
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !odd {
		return err
	}
	f.extra = chat.Extras(b)
	maps.DeleteFunc(f.extra, func(_ string, val json.RawMessage) bool { return len(val) > maxExtra || exchange.IsDeep(val) })
	return nil
}

// maxExtra bounds a member that a server adds to a call, in bytes: more is a mistake or an attack.
const maxExtra = 1 << 20

type function struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// text is a string, null, or a list of parts as Mistral sends them; thinking
// among the parts is kept apart.
type text struct {
	s        string
	thinking string
}

func (t *text) UnmarshalJSON(b []byte) error {
	*t = text{}
	if len(b) == 0 || b[0] == 'n' {
		return nil
	}
	if b[0] == '"' {
		return exchange.Unquote(b, &t.s)
	}
	var parts []struct {
		Text     string `json:"text"`
		Thinking text   `json:"thinking"`
	}
	if json.Unmarshal(b, &parts) != nil {
		return nil // nothing that could be shown
	}
	for _, p := range parts {
		t.s += p.Text
		t.thinking += p.Thinking.s
	}
	return nil
}

// arguments is JSON in a string, or, from servers that do not follow the API,
// the JSON itself.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == 'n':
		*a = ""
	case b[0] == '"':
		var s string
		err := exchange.Unquote(b, &s)
		*a = arguments(s)
		return err
	default:
		*a = arguments(b)
	}
	return nil
}

// usage is go-openai's, with the field in which DeepSeek counts cached tokens.
type usage struct {
	openai.Usage
	CacheHits int `json:"prompt_cache_hit_tokens"`
}

// usage makes Cached a part of Input and Reasoning a part of Output, however the server counts, and
// corrects impossible numbers.
func (u usage) usage() chat.Usage {
	out := chat.Usage{Input: max(u.PromptTokens, 0), Output: max(u.CompletionTokens, 0), Cached: u.CacheHits}
	if d := u.PromptTokensDetails; d != nil && d.CachedTokens > 0 {
		out.Cached = d.CachedTokens
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.Reasoning = max(d.ReasoningTokens, 0)
	}
	if out.Reasoning > 0 && u.TotalTokens == out.Input+out.Output+out.Reasoning {
		out.Output += out.Reasoning // xAI counts it separately from the output
	}
	out.Cached = min(max(out.Cached, 0), out.Input)
	out.Reasoning = min(out.Reasoning, out.Output)
	return out
}

// finishReason returns the API's name for a server's finish reason.
func finishReason(s string) string {
	switch strings.ToLower(s) {
	case "end_turn", "eos", "eos_token", "stop_sequence", "complete":
		return "stop"
	case "max_tokens", "max_length", "model_length":
		return "length"
	case "tool_use", "tool_call", "function_call":
		return "tool_calls"
	case "safety", "recitation":
		return "content_filter"
	}
	return s
}
