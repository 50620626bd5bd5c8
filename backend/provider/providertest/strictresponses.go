package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mutsumi/backend/chat"
)

// responsesBody is a request of the Responses API, as OpenAI accepts it from a client that has it
// store nothing.
type responsesBody struct {
	Model        string
	Stream       bool
	Store        *bool
	Include      []string
	MaxTokens    int `json:"max_output_tokens"`
	Temperature  *float64
	Reasoning    *struct{ Effort, Summary string }
	CacheKey     string `json:"prompt_cache_key"`
	Instructions string
	Tools        []struct {
		Type, Name, Description string
		Parameters              map[string]json.RawMessage
		Strict                  *bool
	}
	Input []json.RawMessage
}

type responsesItem struct {
	Type, Role, Phase, ID, Status string
	Content                       json.RawMessage
	CallID                        string `json:"call_id"`
	Name                          string
	Arguments                     *string
	Output                        json.RawMessage
	Summary                       []struct{ Type, Text string }
	Encrypted                     string `json:"encrypted_content"`
}

type responsesPart struct {
	Type, Text, Detail string
	ImageURL           string `json:"image_url"`
	Filename           string
	FileData           string `json:"file_data"`
	FileURL            string `json:"file_url"`
}

// readResponses reads a request of the Responses API. The error is the reason why a strict server
// refuses it.
func (r *Request) readResponses() error {
	var b responsesBody
	if err := exactly(r.Body, &b); err != nil {
		return err
	}
	r.Model, r.Usage = b.Model, true
	for i, t := range b.Tools {
		if t.Type != "function" || !wireName.MatchString(t.Name) || slices.Contains(r.Tools, t.Name) || string(t.Parameters["type"]) != `"object"` || t.Strict == nil || *t.Strict {
			return fmt.Errorf("tools[%d]: the name %q or its parameters are not valid", i, t.Name)
		}
		r.Tools = append(r.Tools, t.Name)
	}
	if b.Model == "" || !b.Stream || b.Store == nil || *b.Store || len(b.Input) == 0 {
		return errors.New("model, stream, store, input: something is missing")
	}
	var due []string   // calls without results
	var reasoning bool // the item before was a thought
	for i, raw := range b.Input {
		var item responsesItem
		if err := exactly(raw, &item); err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
		if reasoning && item.Type != "reasoning" && item.Type != "function_call" && item.Role != "assistant" {
			return fmt.Errorf("input[%d]: a reasoning item was provided without its required following item", i-1)
		}
		reasoning = item.Type == "reasoning"
		m, err := item.read(&due)
		if err != nil {
			return fmt.Errorf("input[%d]%w", i, err)
		}
		if m != nil {
			r.Messages = append(r.Messages, *m)
		}
	}
	switch {
	case reasoning:
		return errors.New("input: a reasoning item was provided without its required following item")
	case len(due) > 0:
		return fmt.Errorf("input: no tool output found for function call %s", due[0])
	}
	return nil
}

// read returns an item as a message of the chat API, nil for a thought.
func (i responsesItem) read(due *[]string) (*chat.Message, error) {
	switch {
	case i.Type == "reasoning":
		if i.Encrypted == "" || i.Summary == nil {
			return nil, errors.New(": items are not persisted when `store` is set to false")
		}
		return nil, nil
	case i.Type == "function_call":
		if !wireName.MatchString(i.CallID) || !wireName.MatchString(i.Name) || i.Arguments == nil || i.ID != "" || slices.Contains(*due, i.CallID) {
			return nil, errors.New(": its call_id, its name or its arguments are not valid")
		}
		*due = append(*due, i.CallID)
		return &chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: i.CallID, Function: chat.Function{Name: i.Name, Arguments: *i.Arguments}}}}, nil
	case i.Type == "function_call_output":
		at := slices.Index(*due, i.CallID)
		if at < 0 {
			return nil, fmt.Errorf(": no tool call found for function call output with call_id %s", i.CallID)
		}
		*due = slices.Delete(*due, at, at+1)
		text, err := responsesText(i.Output, true)
		return &chat.Message{Role: chat.Tool, ToolCallID: i.CallID, Content: chat.Text(text)}, err
	case i.Type != "" && i.Type != "message":
		return nil, fmt.Errorf(".type: %q", i.Type)
	case i.Role == "user" || i.Role == "assistant" || i.Role == "developer" || i.Role == "system":
		if i.Role == "user" && len(*due) > 0 {
			return nil, fmt.Errorf(": no tool output found for function call %s", (*due)[0])
		}
		text, err := responsesText(i.Content, i.Role == "user")
		return &chat.Message{Role: chat.Role(i.Role), Content: chat.Text(text)}, err
	}
	return nil, fmt.Errorf(".role: %q", i.Role)
}

// responsesText returns the text of a content; a person's may hold more.
func responsesText(content json.RawMessage, person bool) (string, error) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []responsesPart
	if err := exactly(content, &parts); err != nil || len(parts) == 0 {
		return "", fmt.Errorf(".content: neither a string nor a list that holds something: %s", content)
	}
	for i, p := range parts {
		isFile := p.Filename != "" && p.FileData != "" || p.FileURL != ""
		switch {
		case p.Type == "input_text", p.Type == "input_image" && person && p.ImageURL != "", p.Type == "input_file" && person && isFile:
			text += p.Text
		default:
			return "", fmt.Errorf(".content[%d]: a %q that is empty or has no place here", i, p.Type)
		}
	}
	return text, nil
}
