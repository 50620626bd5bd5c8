// Package chat is the vocabulary that everything speaks: messages, their
// parts, tool calls and usage, in the form of the OpenAI chat API and of the
// notebook file (SPEC 1.1). It has no behaviour beyond JSON and the count of documents.
//
// It is not the document: unknown keys of a file live in package notebook.
package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mutsumi/backend/jsontext"
)

// Role is the speaker of a message.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	System    Role = "system"
	Tool      Role = "tool"
)

// Message is one message as sent to a model. The JSON names are the file's.
type Message struct {
	Role             Role       `json:"role"`
	Content          Content    `json:"content"`
	ToolCalls        []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
	Name             string     `json:"name,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`

	Kept *Kept `json:"-"` // items that the answer's model wants back with it; nil: none
}

// Content is a string, a list of parts, or null. Parts, when not nil, win
// over the text; an assistant message that only calls tools has Null set.
type Content struct {
	Parts []Part
	Null  bool

	text string
	late Late // makes the text; nil: it is text
}

// Late is a text that is made when somebody asks for it. It never changes, and may be
// used by several goroutines.
type Late interface {
	String() string
	Size() int // approximate length of String in bytes; 0: empty
	// AppendJSON appends String as jsontext.AppendString would, without building it: most of a
	// request is only passed on.
	AppendJSON(dst []byte) []byte
}

// Text makes a content of plain text.
func Text(s string) Content { return Content{text: s} }

// LateText makes a content of plain text that is not made yet.
func LateText(t Late) Content { return Content{late: t} }

// PartType distinguishes text, images and files.
type PartType string

const (
	PartText  PartType = "text"
	PartImage PartType = "image_url"
	PartFile  PartType = "file"
)

// Part is one part of a multi-part message.
type Part struct {
	Type     PartType  `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *ImageURL `json:"image_url,omitempty"`
	File     *File     `json:"file,omitempty"`
}

// File is a document, as a PDF, that a model reads as a whole.
type File struct {
	Name string `json:"filename"`
	Data string `json:"file_data"` // a data URI
	// Pages is the number of pages, for counting tokens; 0: not known. It is not sent.
	Pages int `json:"-"`
}

// Size is the size in bytes of the document itself, which Data encodes.
func (f *File) Size() int {
	_, text, _ := strings.Cut(f.Data[:min(len(f.Data), 64)], ",")
	encoded := len(text) + max(0, len(f.Data)-64)
	return encoded/4*3 - strings.Count(f.Data[max(0, len(f.Data)-2):], "=")
}

// ImageURL points at an image: a data URI, or an address the person allowed.
type ImageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"` // auto, low, high
}

// ToolCall is a model's request to run a tool. Arguments is JSON as the model
// wrote it; it may be broken.
type ToolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function Function `json:"function"`

	// Extra are members that a server adds to a call and wants back with it, as Gemini does with
	// the signatures of its thoughts. In JSON they are next to the others. The data that it points
	// to is not changed.
	Extra map[string]json.RawMessage `json:"-"`
}

// Function names the tool of a ToolCall.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage counts the tokens of one request. Cached is part of Input and Reasoning is part of Output.
// Estimated means that no server reported them. Micros is the cost that the server reported, in
// millionths of a dollar; 0: it reported none.
type Usage struct {
	Input     int  `json:"input"`
	Cached    int  `json:"cached,omitempty"`
	Output    int  `json:"output"`
	Reasoning int  `json:"reasoning,omitempty"`
	Estimated bool `json:"estimated,omitempty"`
	Micros    int  `json:"microdollars,omitempty"`
}

// Add returns the sum; it is an estimate if either is.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Cached + v.Cached, u.Output + v.Output, u.Reasoning + v.Reasoning, u.Estimated || v.Estimated, u.Micros + v.Micros}
}

// String is the text of the content: of the text parts, joined, if it has parts.
func (c Content) String() string {
	switch {
	case c.Parts != nil:
		var b strings.Builder
		for _, p := range c.Parts {
			b.WriteString(p.Text)
		}
		return b.String()
	case c.late != nil:
		return c.late.String()
	}
	return c.text
}

// Size is the approximate length of String in bytes; 0: empty.
func (c Content) Size() int {
	switch {
	case c.Parts != nil:
		n := 0
		for _, p := range c.Parts {
			n += len(p.Text)
		}
		return n
	case c.late != nil:
		return c.late.Size()
	}
	return len(c.text)
}

// AppendJSON appends String as a JSON string.
func (c Content) AppendJSON(dst []byte) []byte {
	if c.Parts == nil && c.late != nil {
		return c.late.AppendJSON(dst)
	}
	return jsontext.AppendString(dst, c.String())
}

// IsEmpty reports whether there is neither text nor an image.
func (c Content) IsEmpty() bool { return len(c.Parts) == 0 && c.Size() == 0 }

// MarshalJSON writes null, a list or a string. `<`, `>` and `&` stay as they are.
func (c Content) MarshalJSON() ([]byte, error) {
	switch {
	case c.Parts != nil:
		return jsontext.Marshal(c.Parts)
	case c.Null:
		return []byte("null"), nil
	}
	return c.AppendJSON(nil), nil
}

// UnmarshalJSON reads null, a list of parts or a string; anything else is an error.
func (c *Content) UnmarshalJSON(b []byte) error {
	*c = Content{}
	b = bytes.TrimSpace(b)
	switch {
	case bytes.Equal(b, []byte("null")):
		c.Null = true
		return nil
	case len(b) > 0 && b[0] == '[':
		c.Parts = []Part{}
		return json.Unmarshal(b, &c.Parts)
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, &c.text)
	}
	return fmt.Errorf("content is neither a string, a list nor null")
}

// Extras returns the non-empty members of a tool call, as JSON, that the API does not name; nil if
// there are none.
func Extras(call []byte) (extra map[string]json.RawMessage) {
	var all map[string]json.RawMessage
	if json.Unmarshal(call, &all) != nil {
		return nil
	}
	for key, val := range all {
		switch {
		case key == "id", key == "type", key == "function", key == "index", string(val) == "null":
		case extra == nil:
			extra = map[string]json.RawMessage{key: val}
		default:
			extra[key] = val
		}
	}
	return extra
}

// MarshalJSON implements json.Marshaler.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	type plain ToolCall
	own, err := jsontext.Marshal(plain(c))
	if err != nil || len(c.Extra) == 0 {
		return own, err
	}
	extra, err := jsontext.Marshal(c.Extra)
	if err != nil {
		return nil, err
	}
	return append(append(own[:len(own)-1], ','), extra[1:]...), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *ToolCall) UnmarshalJSON(b []byte) error {
	type plain ToolCall
	*c = ToolCall{}
	err := json.Unmarshal(b, (*plain)(c))
	c.Extra = Extras(b)
	return err
}
