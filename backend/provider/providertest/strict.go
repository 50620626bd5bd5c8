package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/lazyregexp"
)

// Bounds of what OpenAI takes.
const (
	maxID    = 40
	maxCalls = 128
	maxTools = 128
)

var wireName = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)

// refused returns the reason why a strict server refuses a chat request, nil if it accepts it: it
// checks what OpenAI, and servers as strict, check.
func (b *body) refused() error {
	switch {
	case len(b.messages) == 0:
		return errors.New("messages: too short")
	case b.toolsWrong != nil:
		return b.toolsWrong
	case b.messagesWrong != nil:
		return b.messagesWrong
	}
	if due := b.due[len(b.due)-1]; len(due) > 0 {
		return fmt.Errorf("messages: the call %s has no result behind it", due[0])
	}
	return nil
}

// readTools reads b.tools, or reuses those of the previous body if equal.
func (b *body) readTools(before *body) error {
	if before != nil && bytes.Equal(b.tools, before.tools) {
		b.names, b.toolsWrong = before.names, before.toolsWrong
		return nil
	}
	var tools []wireTool
	if err := json.Unmarshal(b.tools, &tools); err != nil {
		return err
	}
	for _, t := range tools {
		b.names = append(b.names, t.Function.Name)
	}
	b.toolsWrong = checkTools(tools)
	return nil
}

type wireTool struct {
	Type     string
	Function struct {
		Name       string
		Parameters map[string]json.RawMessage
	}
}

func checkTools(tools []wireTool) error {
	if len(tools) > maxTools {
		return fmt.Errorf("tools: %d, at most %d", len(tools), maxTools)
	}
	known := map[string]bool{}
	for i, t := range tools {
		switch name := t.Function.Name; {
		case t.Type != "function" || !wireName.MatchString(name):
			return fmt.Errorf("tools[%d].function.name: %q does not match %s", i, name, wireName)
		case known[name]:
			return fmt.Errorf("tools[%d].function.name: %q is there twice", i, name)
		case string(t.Function.Parameters["type"]) != `"object"`:
			return fmt.Errorf("tools[%d].function.parameters are no schema of an object", i)
		}
		known[t.Function.Name] = true
	}
	return nil
}

type wireMessage struct {
	Role    string
	Content json.RawMessage
	Name    *string
	CallID  *string `json:"tool_call_id"`
	Calls   []struct {
		ID, Type string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// check checks a message that follows calls without results, and returns its own calls without
// results.
func (m wireMessage) check(due []string) ([]string, error) {
	if m.Name != nil && !wireName.MatchString(*m.Name) {
		return nil, fmt.Errorf(".name: %q does not match %s", *m.Name, wireName)
	}
	if m.Role != "tool" && len(due) > 0 {
		return nil, fmt.Errorf(": the call %s has no result before it", due[0])
	}
	if m.Role != "assistant" && len(m.Calls) > 0 {
		return nil, fmt.Errorf(".tool_calls: a message of the role %q has none", m.Role)
	}
	if m.Role != "tool" && m.CallID != nil {
		return nil, fmt.Errorf(".tool_call_id: a message of the role %q has none", m.Role)
	}
	switch m.Role {
	case "user", "system":
		return nil, m.content(m.Role == "user", false)
	case "assistant":
		due, err := m.calls()
		if err != nil {
			return nil, err
		}
		return due, m.content(false, len(due) > 0)
	case "tool":
		if m.CallID == nil || len(due) == 0 {
			return nil, errors.New(": a result must follow the call that it is of")
		}
		for i, id := range due {
			if id == *m.CallID {
				return append(due[:i:i], due[i+1:]...), m.content(false, false)
			}
		}
		return nil, fmt.Errorf(".tool_call_id: no call before it has the id %q", *m.CallID)
	}
	return nil, fmt.Errorf(".role: %q is none", m.Role)
}

func (m wireMessage) calls() (ids []string, err error) {
	if len(m.Calls) > maxCalls {
		return nil, fmt.Errorf(".tool_calls: %d, at most %d", len(m.Calls), maxCalls)
	}
	seen := map[string]bool{}
	for i, c := range m.Calls {
		var arguments map[string]any
		switch {
		case c.Type != "function":
			return nil, fmt.Errorf(".tool_calls[%d].type: %q", i, c.Type)
		case c.ID == "" || len(c.ID) > maxID || seen[c.ID] || !wireName.MatchString(c.ID):
			return nil, fmt.Errorf(".tool_calls[%d].id: %q is empty, longer than %d, there twice or not of letters and digits", i, c.ID, maxID)
		case !wireName.MatchString(c.Function.Name):
			return nil, fmt.Errorf(".tool_calls[%d].function.name: %q does not match %s", i, c.Function.Name, wireName)
		case json.Unmarshal([]byte(c.Function.Arguments), &arguments) != nil || arguments == nil:
			return nil, fmt.Errorf(".tool_calls[%d].function.arguments: %q is no object", i, c.Function.Arguments)
		}
		seen[c.ID] = true
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// content checks a string, or a list of parts.
func (m wireMessage) content(images, mayBeNull bool) error {
	var text *string
	if json.Unmarshal(m.Content, &text) == nil {
		if text == nil && !mayBeNull {
			return errors.New(".content: expected a string, got null")
		}
		return nil
	}
	var parts []struct {
		Type  string
		Text  string
		Image *struct{ URL string } `json:"image_url"`
		File  *struct {
			Name string `json:"filename"`
			Data string `json:"file_data"`
		}
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil || len(parts) == 0 {
		return fmt.Errorf(".content: neither a string nor a list that holds something: %s", m.Content)
	}
	for i, p := range parts {
		isText := p.Type == "text" && p.Text != ""
		isImage := images && p.Type == "image_url" && p.Image != nil && p.Image.URL != ""
		isFile := images && p.Type == "file" && p.File != nil && p.File.Name != "" && strings.HasPrefix(p.File.Data, "data:application/pdf;base64,")
		if !isText && !isImage && !isFile {
			return fmt.Errorf(".content[%d]: a %q that is empty, or has no place in a message of the role %q", i, p.Type, m.Role)
		}
	}
	return nil
}
