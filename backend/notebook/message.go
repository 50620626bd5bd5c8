package notebook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// messageDepth is how deep a message is in the file: in a list in the top
// object.
const messageDepth = 2

// keyInternal marks a message that the program itself added.
const keyInternal = "is_internal"

// Message is a message as a run makes it: the part for the model, and what the file records about
// it.
type Message struct {
	chat.Message
	IsError  bool            // a tool's result reports a failure
	Facts    *chat.CallFacts // of a tool's result, for people; may be nil
	TookMs   int64           // how long it took, in milliseconds
	AtMs     int64           // when its request or its tool began, Unix milliseconds; 0: not known, or it never ran
	WaitedMs int64           // how long it waited for the person before that, in milliseconds
	Usage    *chat.Usage     // of the request that brought it
	Internal bool            // is_internal: sent to models, folded away for people
	Agent    string          // which agent wrote it
}

// message is a message of the document. It never changes: an edit makes a new
// one. Everything but role and length is read from the text when it is needed.
type message struct {
	text  []byte // in our own layout, as in the file; nil in a fresh one
	fresh *fresh
	role  chat.Role
	count int  // characters of the content, images not counted
	own   bool // the content is a string that jsontext would write in the same way; false: it may be
	// content is the last value with that name, a part of text; nil: it has to be searched for.
	content []byte

	marked *marks // see marks
}

// fresh is a message of a current run. It has no text of its own but the strings that the run sends
// with its next request, so that the model's text is in memory once; its text is made when it is
// saved. Every arriving piece replaces a streaming message: encoding it each time would cost the
// square of its length.
type fresh struct {
	made  Message
	once  sync.Once
	count int
}

// raw is the message as it is in the file. Like chars it may be called
// without the document's lock.
func (m *message) raw() []byte {
	if m.fresh == nil {
		return m.text
	}
	return m.fresh.made.append(nil)
}

// writeTo writes raw; scratch is room to make it in, and is returned.
func (m *message) writeTo(w out, scratch []byte) []byte {
	if m.fresh == nil {
		w.Write(m.text)
		return scratch
	}
	scratch = m.fresh.made.append(scratch[:0])
	w.Write(scratch)
	return scratch
}

// size is the approximate number of bytes in raw.
func (m *message) size() int {
	if m.fresh == nil {
		return len(m.text)
	}
	return m.fresh.made.size()
}

// chars is the number of characters in the content, not counting images.
func (m *message) chars() int {
	f := m.fresh
	if f == nil {
		return m.count
	}
	f.once.Do(func() { f.count = utf8.RuneCountInString(f.made.Content.String()) })
	return f.count
}

// materialized returns the message with a text of its own: its run is over, and the strings that it
// sent are dropped.
func (m *message) materialized() *message {
	if m.fresh == nil {
		return m
	}
	return &message{text: bytes.Clone(m.raw()), role: m.role, count: m.chars()}
}

// newMessage makes a message of text that is known to be valid.
func newMessage(raw []byte) *message {
	m := &message{text: raw}
	members(raw, func(key, val []byte, _ int) bool {
		switch {
		case keyIs(key, "role"):
			m.role = roleOf(val)
		case keyIs(key, "content"):
			m.count = contentChars(val)
		}
		return true
	})
	return m
}

func contentChars(content []byte) int {
	switch {
	case isString(content):
		s := scanner{b: content}
		s.str()
		return s.chars
	case isArray(content):
		n := 0
		elements(content, func(part []byte) bool {
			n += contentChars(get(part, "text"))
			return true
		})
		return n
	}
	return 0
}

// encode makes a message of the document. It keeps m, so the data that m points to must no longer
// change.
func (m Message) encode() *message { return &message{fresh: &fresh{made: m}, role: m.Role} }

// size is about how many bytes append adds.
func (m *Message) size() int {
	n := 256 + m.Content.Size() + len(m.ReasoningContent) + len(m.Name) + len(m.ToolCallID)
	for _, p := range m.Content.Parts {
		if p.ImageURL != nil {
			n += len(p.ImageURL.URL)
		}
		if p.File != nil {
			n += len(p.File.Data)
		}
	}
	for _, c := range m.ToolCalls {
		n += len(c.Function.Name) + len(c.Function.Arguments)
	}
	return n
}

// append adds the text of the message, in the order of keys that the file has.
func (m *Message) append(dst []byte) []byte {
	if n := m.size(); cap(dst)-len(dst) < n {
		dst = slices.Grow(dst, n+n/16)
	}
	w := &objectWriter{out: append(dst, '{'), depth: messageDepth}
	w.text("role", string(m.Role))
	w.named("content")
	w.out = appendContent(w.out, m.Content)
	if len(m.ToolCalls) > 0 {
		calls := make([][]byte, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			call, function := newObject(messageDepth+2), newObject(messageDepth+3)
			function.text("name", c.Function.Name)
			function.text("arguments", c.Function.Arguments)
			call.text("id", c.ID)
			call.text("type", c.Type)
			call.value("function", function.end())
			for _, key := range slices.Sorted(maps.Keys(c.Extra)) {
				call.object(key, c.Extra[key])
			}
			calls[i] = call.end()
		}
		w.value("tool_calls", encodeList(calls, messageDepth+1))
	}
	w.optional("tool_call_id", m.ToolCallID)
	w.optional("name", m.Name)
	w.optional("reasoning_content", m.ReasoningContent)
	w.optional("agent", m.Agent)
	if m.Internal {
		w.value(keyInternal, []byte("true"))
	}
	meta := messageMeta{IsError: m.IsError, Facts: m.Facts, TookMs: m.TookMs, WaitedMs: m.WaitedMs, Usage: m.Usage, Kept: m.Kept}
	if m.AtMs != 0 {
		meta.StartedAt = fileTime(time.UnixMilli(m.AtMs))
	}
	if meta != (messageMeta{}) {
		w.object("metadata", meta)
	}
	return w.end()
}

// messageMeta is our part of an answer message's "metadata".
type messageMeta struct {
	IsError   bool            `json:"is_error,omitempty"`
	Facts     *chat.CallFacts `json:"facts,omitempty"`
	StartedAt string          `json:"started_at,omitempty"`
	TookMs    int64           `json:"took_ms,omitempty"`
	WaitedMs  int64           `json:"waited_ms,omitempty"`
	Usage     *chat.Usage     `json:"usage,omitempty"`
	Kept      *chat.Kept      `json:"kept,omitempty"`
}

// times returns AtMs, TookMs and WaitedMs of a Message; what makes no sense is 0.
func (m messageMeta) times() (at, took, waited int64) {
	if m.StartedAt != "" {
		if t, err := time.Parse(time.RFC3339, m.StartedAt); err == nil {
			at = max(0, t.UnixMilli())
		}
	}
	return at, min(max(0, m.TookMs), maxTime), min(max(0, m.WaitedMs), maxTime)
}

// encodeList writes a list of values that is at depth.
func encodeList(items [][]byte, depth int) []byte {
	if len(items) == 0 {
		return []byte("[]")
	}
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, indents[:3+2*depth]...)
		out = append(out, item...)
	}
	out = append(out, indents[:1+2*depth]...)
	return append(out, ']')
}

// decode reads everything that the program knows of a message.
func (m *message) decode() Message { return m.read(decodeContent) }

// handed is decode for a message whose content is mostly passed on unchanged.
func (m *message) handed() Message {
	if !m.own {
		return m.decode()
	}
	return m.read(func(raw []byte) chat.Content { return chat.LateText(&quoted{raw: raw}) })
}

// quoted is a text in a notebook, in the quotes that jsontext would write. It is a
// chat.Late.
type quoted struct {
	raw  []byte
	once sync.Once
	text string
}

// String implements chat.Late.
func (q *quoted) String() string {
	q.once.Do(func() { q.text = unquote(q.raw) })
	return q.text
}

// Size implements chat.Late.
func (q *quoted) Size() int { return len(q.raw) - len(`""`) }

// AppendJSON implements chat.Late.
func (q *quoted) AppendJSON(dst []byte) []byte { return append(dst, q.raw...) }

func (m *message) read(content func(raw []byte) chat.Content) Message {
	out := Message{Message: chat.Message{Role: m.role, Content: chat.Content{Null: true}}}
	var meta messageMeta
	membersKnowing(m.raw(), m.content, func(key, val []byte, _ int) bool {
		switch {
		case keyIs(key, "content"):
			out.Content = content(val)
		case keyIs(key, "tool_calls"):
			out.ToolCalls = decodeCalls(val)
		case keyIs(key, "tool_call_id"):
			out.ToolCallID = unquote(val)
		case keyIs(key, "name"):
			out.Name = unquote(val)
		case keyIs(key, "reasoning_content"):
			out.ReasoningContent = unquote(val)
		case keyIs(key, "agent"):
			out.Agent = unquote(val)
		case keyIs(key, keyInternal):
			out.Internal = string(val) == "true"
		case keyIs(key, "metadata"):
			decodeInto(val, &meta)
		}
		return true
	})
	out.IsError, out.Facts, out.Usage = meta.IsError, meta.Facts, meta.Usage
	out.AtMs, out.TookMs, out.WaitedMs = meta.times()
	out.Kept = withoutLayout(meta.Kept)
	return out
}

// withoutLayout removes the file's layout from kept items, so that they are sent as they were
// received.
func withoutLayout(k *chat.Kept) *chat.Kept {
	if k == nil {
		return nil
	}
	for i := range k.Items {
		var item bytes.Buffer
		if json.Compact(&item, k.Items[i].Item) == nil {
			k.Items[i].Item = item.Bytes()
		}
	}
	return k
}

func decodeCalls(raw []byte) []chat.ToolCall {
	var calls []chat.ToolCall
	elements(raw, func(call []byte) bool {
		if !isObject(call) {
			return true
		}
		c, more := chat.ToolCall{}, false
		var function []byte
		members(call, func(key, val []byte, _ int) bool {
			switch {
			case keyIs(key, "id"):
				c.ID = unquote(val)
			case keyIs(key, "type"):
				c.Type = unquote(val)
			case keyIs(key, "function"):
				function = val
			default:
				more = true
			}
			return true
		})
		if more {
			c.Extra = chat.Extras(call)
		}
		c.Type = cmp.Or(c.Type, "function")
		c.Function.Name = unquote(get(function, "name"))
		if args := get(function, "arguments"); isString(args) {
			c.Function.Arguments = unquote(args)
		} else if args != nil { // some programs write the object itself
			c.Function.Arguments = string(args)
		}
		calls = append(calls, c)
		return true
	})
	return calls
}

// toolTextLimit is how many bytes of a tool's text a CellBody carries at most.
const toolTextLimit = 64 << 10

// view returns a message as it is shown, with the text of a tool cut to limit
// bytes (0: not cut).
func (m *message) view(limit int) MessageView {
	x := m.decode()
	v := MessageView{
		Role: x.Role, Text: x.Content.String(), Reasoning: x.ReasoningContent, ToolCallID: x.ToolCallID,
		Name: x.Name, IsError: x.IsError, Facts: x.Facts, Internal: x.Internal, TookMs: x.TookMs, Usage: x.Usage,
	}
	if limit > 0 && m.role == chat.Tool && len(v.Text) > limit {
		v.Text, v.Truncated = strings.Clone(clip.Bytes(v.Text, limit)), true
	}
	for _, c := range x.ToolCalls {
		v.ToolCalls = append(v.ToolCalls, ToolCallView{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return v
}
