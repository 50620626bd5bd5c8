package notebook

import (
	"mutsumi/backend/chat"
)

// cell is a prompt or note with its answer, or an answer without a prompt
// (SPEC 1.3). It never changes: an edit makes a new one with the same id.
type cell struct {
	id     string
	rev    int
	prompt *message   // user or system; nil: an answer without a prompt
	answer []*message // everything else up to the next user or system message
}

func (c *cell) role() chat.Role {
	if c.prompt == nil {
		return chat.Assistant
	}
	return c.prompt.role
}

// takesAnswer reports whether messages that follow belong to the cell. After
// a note they begin a cell of their own.
func (c *cell) takesAnswer() bool { return c.role() != chat.System }

// size is about how much text only this version of the cell holds, for the bound of
// the undo history.
func (c *cell) size() int {
	n := 0
	if c.prompt != nil {
		n += c.prompt.size()
	}
	for _, m := range c.answer {
		n += m.size()
	}
	return n
}

func startsCell(role chat.Role) bool { return role == chat.User || role == chat.System }

// group splits messages into cells without ids.
func group(messages []*message) []*cell {
	var cells []*cell
	for i := 0; i < len(messages); {
		c := &cell{}
		if startsCell(messages[i].role) {
			c.prompt = messages[i]
			i++
		}
		end := i
		for end < len(messages) && c.takesAnswer() && !startsCell(messages[end].role) {
			end++
		}
		c.answer = messages[i:end:end]
		i = end
		cells = append(cells, c)
	}
	return cells
}

// validID keeps ids from a file or a caller to what is harmless in a selector,
// an address or a log.
func validID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// metaName is the key under which our metadata of a message stand:
// "metadata", unless somebody else keeps something there that is not an object.
func (m *message) metaName() string {
	if have := get(m.raw(), "metadata"); have != nil && !isObject(have) {
		return "mutsumi_metadata"
	}
	return "metadata"
}

func (m *message) meta() []byte { return get(m.raw(), m.metaName()) }

// withMeta returns the message with one key of its metadata set (nil: removed).
func (m *message) withMeta(key string, val []byte) *message {
	name := m.metaName()
	meta := get(m.raw(), name)
	if get(meta, key) == nil && val == nil {
		return m
	}
	if !isObject(meta) {
		meta = []byte("{}")
	}
	if val == nil {
		meta = unset(meta, messageDepth+1, key)
	} else {
		meta = set(meta, messageDepth+1, key, val)
	}
	raw := m.raw()
	if string(meta) == "{}" {
		raw = unset(raw, messageDepth, name)
	} else {
		raw = set(raw, messageDepth, name, meta)
	}
	return &message{text: raw, role: m.role, count: m.chars()}
}

// withContent returns the message with another content.
func (m *message) withContent(content []byte) *message {
	return &message{text: set(m.raw(), messageDepth, "content", content), role: m.role, count: contentChars(content)}
}

// newPrompt makes a user or system message.
func newPrompt(role chat.Role, content []byte) *message {
	w := newObject(messageDepth)
	w.text("role", string(role))
	w.value("content", content)
	return &message{text: w.end(), role: role, count: contentChars(content)}
}
