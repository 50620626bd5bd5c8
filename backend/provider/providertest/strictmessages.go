package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/chat"
)

// exactly reads JSON that has no members other than those of v.
func exactly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// messagesBody is a request of the Messages API: what Anthropic takes.
type messagesBody struct {
	Model       string
	MaxTokens   int `json:"max_tokens"`
	Stream      bool
	Temperature *float64
	Thinking    *struct {
		Type    string
		Budget  int `json:"budget_tokens"`
		Display string
	}
	OutputConfig *struct{ Effort string } `json:"output_config"`
	Cache        *cacheControl            `json:"cache_control"`
	Tools        []struct {
		Name, Description string
		Schema            map[string]json.RawMessage `json:"input_schema"`
		Cache             *cacheControl              `json:"cache_control"`
	}
	System   []messagesBlock
	Messages []messagesTurn
}

type cacheControl struct{ Type string }

type messagesTurn struct {
	Role    string
	Content []messagesBlock
}

type messagesBlock struct {
	Type, Text, Title   string
	Thinking, Signature *string
	Data, ID, Name      string
	Input               map[string]any
	Source              *messagesSource
	ToolUseID           string `json:"tool_use_id"`
	Content             []messagesBlock
	Cache               *cacheControl `json:"cache_control"`
}

type messagesSource struct {
	Type, URL, Data string
	MediaType       string `json:"media_type"`
}

// readMessages reads a request of the Messages API. The error is the reason why a strict server
// refuses it.
func (r *Request) readMessages() error {
	var b messagesBody
	if err := exactly(r.Body, &b); err != nil {
		return err
	}
	r.Model, r.Usage = b.Model, true
	for _, t := range b.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for _, t := range b.Messages {
		r.Messages = append(r.Messages, t.messages()...)
	}
	if r.Header.Get("Anthropic-Version") == "" {
		return errors.New("anthropic-version: header is required")
	}
	return b.refused()
}

// messages returns a turn as messages of the chat API.
func (t messagesTurn) messages() (out []chat.Message) {
	said := chat.Message{Role: chat.Role(t.Role)}
	for _, b := range t.Content {
		switch b.Type {
		case "text":
			said.Content = chat.Text(said.Content.String() + b.Text)
		case "tool_use":
			input, _ := json.Marshal(b.Input) // of JSON
			said.ToolCalls = append(said.ToolCalls, chat.ToolCall{ID: b.ID, Function: chat.Function{Name: b.Name, Arguments: string(input)}})
		case "tool_result":
			m := chat.Message{Role: chat.Tool, ToolCallID: b.ToolUseID}
			for _, c := range b.Content {
				m.Content = chat.Text(m.Content.String() + c.Text)
			}
			out = append(out, m)
		}
	}
	if said.Content.String() != "" || said.ToolCalls != nil {
		out = append(out, said)
	}
	return out
}

func (b messagesBody) refused() error {
	marks := 0
	mark := func(c *cacheControl) {
		if c != nil {
			marks++
		}
	}
	mark(b.Cache)
	known := map[string]bool{}
	for i, t := range b.Tools {
		mark(t.Cache)
		if !wireName.MatchString(t.Name) || known[t.Name] || string(t.Schema["type"]) != `"object"` {
			return fmt.Errorf("tools.%d: the name %q or its schema is not valid", i, t.Name)
		}
		known[t.Name] = true
	}
	for _, s := range b.System {
		mark(s.Cache)
		if s.Type != "text" || s.Text == "" {
			return errors.New("system: text content blocks must be non-empty")
		}
	}
	switch t := b.Thinking; {
	case b.Model == "" || b.MaxTokens < 1 || !b.Stream || len(b.Messages) == 0:
		return errors.New("model, max_tokens, stream, messages: field required")
	case t == nil:
	case t.Type == "enabled" && (t.Budget < 1024 || t.Budget >= b.MaxTokens):
		return errors.New("thinking.budget_tokens: at least 1024 and less than max_tokens")
	case t.Type != "enabled" && t.Type != "adaptive":
		return fmt.Errorf("thinking.type: %q", t.Type)
	case b.Temperature != nil:
		return errors.New("temperature: may only be set to 1 when thinking is enabled")
	}
	var due []string // calls whose results must follow
	for i, t := range b.Messages {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		if t.Role != role {
			return fmt.Errorf("messages.%d: roles must alternate, beginning with user", i)
		}
		var err error
		if due, err = t.refused(due); err != nil {
			return fmt.Errorf("messages.%d.%w", i, err)
		}
		if len(due) > 0 && b.Thinking != nil && b.Thinking.Type == "enabled" && !strings.HasSuffix(t.Content[0].Type, "thinking") && i > b.lastPrompt() {
			return fmt.Errorf("messages.%d.content.0: expected thinking, found %s", i, t.Content[0].Type)
		}
		for _, c := range t.Content {
			mark(c.Cache)
		}
	}
	if len(due) > 0 {
		return fmt.Errorf("messages: tool_use %s without tool_result", due[0])
	}
	if marks > 4 {
		return fmt.Errorf("cache_control: a maximum of 4 blocks, found %d", marks)
	}
	return nil
}

// lastPrompt is the last turn with a text of the person.
func (b messagesBody) lastPrompt() int {
	for i := len(b.Messages) - 1; i >= 0; i-- {
		t := b.Messages[i]
		if t.Role == "user" && slices.ContainsFunc(t.Content, func(c messagesBlock) bool { return c.Type != "tool_result" }) {
			return i
		}
	}
	return -1
}

// refused checks a turn that follows calls without results, and returns its own calls.
func (t messagesTurn) refused(due []string) (calls []string, err error) {
	if len(t.Content) == 0 {
		return nil, errors.New("content: must be non-empty")
	}
	for i, c := range t.Content {
		wrong := func(why string) error { return fmt.Errorf("content.%d: %s: %s", i, c.Type, why) }
		assistant := t.Role == "assistant"
		switch c.Type {
		case "text":
			if strings.TrimSpace(c.Text) == "" {
				return nil, wrong("text content blocks must contain non-whitespace text")
			}
		case "image", "document":
			if assistant {
				return nil, wrong("has no place in an answer")
			}
			if err := c.Source.refused(c.Type); err != nil {
				return nil, wrong(err.Error())
			}
		case "thinking", "redacted_thinking":
			if !assistant || i == len(t.Content)-1 || c.Cache != nil ||
				c.Type == "thinking" && (c.Thinking == nil || c.Signature == nil || *c.Signature == "") || c.Type == "redacted_thinking" && c.Data == "" {
				return nil, wrong("without a signature, marked, or in no place for it")
			}
		case "tool_use":
			if !assistant || !wireName.MatchString(c.ID) || !wireName.MatchString(c.Name) || c.Input == nil || slices.Contains(calls, c.ID) {
				return nil, wrong("its id, its name or its input is not valid")
			}
			calls = append(calls, c.ID)
		case "tool_result":
			at := slices.Index(due, c.ToolUseID)
			if assistant || at < 0 || len(c.Content) == 0 {
				return nil, wrong("no call before it has the id " + c.ToolUseID + ", or it is empty")
			}
			if i > 0 && t.Content[i-1].Type != "tool_result" {
				return nil, wrong("results must stand first")
			}
			due = slices.Delete(slices.Clone(due), at, at+1)
			if _, err := (messagesTurn{Role: "user", Content: c.Content}).refused(nil); err != nil {
				return nil, wrong(err.Error())
			}
		default:
			return nil, wrong("no such block")
		}
	}
	if len(due) > 0 {
		return nil, fmt.Errorf("content: tool_use %s without tool_result", due[0])
	}
	return calls, nil
}

func (s *messagesSource) refused(kind string) error {
	switch {
	case s == nil:
		return errors.New("no source")
	case s.Type == "url" && strings.HasPrefix(s.URL, "https://"):
		return nil
	case s.Type != "base64" || s.Data == "":
		return errors.New("the source is not valid")
	case kind == "document" && s.MediaType != "application/pdf", kind == "image" && !strings.HasPrefix(s.MediaType, "image/"):
		return fmt.Errorf("media_type %q", s.MediaType)
	}
	return nil
}
