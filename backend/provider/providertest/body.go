package providertest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"mutsumi/backend/chat"
)

// body is the body of a chat request, read once. An agent sends the whole conversation with each of
// its steps: the part that a body shares with the previous one is reused, so that the time for a
// long run is linear in its messages, not quadratic.
type body struct {
	text     []byte
	head     int // where the first message begins
	messages []chat.Message
	ends     []int      // after each message
	due      [][]string // after each message: the calls whose results must follow

	model string
	usage bool            // stream_options asks for it
	tools json.RawMessage // as they were written
	names []string        // of the tools

	toolsWrong, messagesWrong error // why a strict server refuses them
}

// readBody reads text; before is the previous body, nil if there is none. It returns an error for
// invalid JSON or JSON that does not fit the API.
func readBody(text []byte, before *body) (*body, error) {
	b := &body{text: text}
	from := 0 // everything before it is known
	if n := before.same(text); n > 0 {
		b.head, from = before.head, before.ends[n-1]+1
		b.messages, b.ends, b.due = before.messages[:n], before.ends[:n], before.due[:n]
		if n < len(before.messages) { // the following messages differ
			b.messages, b.ends, b.due = slices.Clip(b.messages), slices.Clip(b.ends), slices.Clip(b.due)
		}
	}
	known := len(b.messages)
	r := bodyReader{Decoder: json.NewDecoder(io.MultiReader(bytes.NewReader(text[:b.head]), bytes.NewReader(text[from:]))), skipped: from - b.head}
	if err := r.object(b, before); err != nil {
		return nil, fmt.Errorf("the body is not as the API has it: %w", err)
	}
	if known > 0 && known == len(b.messages) {
		return nil, errors.New("the body is not as the API has it: messages end with a comma")
	}
	return b, nil
}

// same is how many leading messages text, each followed by a comma, shares with b, after the same
// head.
func (b *body) same(text []byte) (n int) {
	if b == nil || b.messagesWrong != nil || !begins(text, b.text, 0, b.head) {
		return 0
	}
	from := b.head
	for _, end := range b.ends {
		if !begins(text, b.text, from, end) || end >= len(text) || text[end] != ',' {
			break
		}
		n, from = n+1, end
	}
	return n
}

// begins reports whether two texts are the same from a place to another.
func begins(a, b []byte, from, to int) bool {
	return to <= len(a) && bytes.Equal(a[from:to], b[from:to])
}

// bodyReader reads a body without the messages that are known.
type bodyReader struct {
	*json.Decoder
	skipped int // bytes of messages that are known
}

func (r bodyReader) object(b, before *body) error {
	if t, err := r.Token(); err != nil || t != json.Delim('{') {
		return cmp.Or(err, errors.New("no object"))
	}
	for r.More() {
		key, err := r.Token()
		if err != nil {
			return err
		}
		switch key {
		case "messages":
			err = r.list(b)
		case "model":
			err = r.Decode(&b.model)
		case "tools":
			if err = r.Decode(&b.tools); err == nil {
				err = b.readTools(before)
			}
		case "stream_options":
			var o struct {
				Usage bool `json:"include_usage"`
			}
			err = r.Decode(&o)
			b.usage = o.Usage
		default:
			err = r.Decode(new(json.RawMessage))
		}
		if err != nil {
			return fmt.Errorf("%v: %w", key, err)
		}
	}
	if _, err := r.Token(); err != nil { // the object's end
		return err
	}
	if _, err := r.Token(); err != io.EOF {
		return cmp.Or(err, errors.New("something stands behind the object"))
	}
	return nil
}

// list reads the messages that are not known.
func (r bodyReader) list(b *body) error {
	if t, err := r.Token(); err != nil || t != json.Delim('[') {
		return cmp.Or(err, errors.New("no list"))
	}
	if b.head == 0 {
		b.head = int(r.InputOffset())
	} else if int(r.InputOffset()) != b.head {
		return errors.New("there twice")
	}
	for r.More() {
		var raw json.RawMessage
		if err := r.Decode(&raw); err != nil {
			return err
		}
		var m chat.Message
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		var w wireMessage
		if err := json.Unmarshal(raw, &w); err != nil {
			return err
		}
		var due []string
		if n := len(b.due); n > 0 {
			due = b.due[n-1]
		}
		if b.messagesWrong == nil {
			var err error
			if due, err = w.check(due); err != nil {
				b.messagesWrong = fmt.Errorf("messages[%d]%w", len(b.messages), err)
			}
		}
		b.messages, b.ends, b.due = append(b.messages, m), append(b.ends, r.skipped+int(r.InputOffset())), append(b.due, due)
	}
	_, err := r.Token() // the list's end
	return err
}
