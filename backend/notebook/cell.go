package notebook

import (
	"bytes"

	"mutsumi/backend/chat"
)

// cell is a prompt or note with its answer, or an answer without a prompt
// (SPEC 1.3). It never changes: an edit makes a new one with the same id.
type cell struct {
	id     string
	rev    int
	prompt *message   // user or system; nil: an answer without a prompt
	answer []*message // everything up to the next message that begins a cell
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

// size is about how much text only this version of the cell holds, for the limit of the undo
// history.
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

// startsCell reports whether the message begins a cell. behind is whether it follows a message of
// an answer: a message of the program itself there (SPEC 11.2) belongs to the answer. A summary is
// a cell.
func (m *message) startsCell(behind bool) bool {
	return m.isPrompt() && !(behind && m.fromProgram())
}

// isPrompt reports whether the message has a role that begins cells.
func (m *message) isPrompt() bool { return m.role == chat.User || m.role == chat.System }

// fromProgram reports whether the program itself added a user message that is neither a summary nor
// a cell of another notebook.
func (m *message) fromProgram() bool {
	switch {
	case m.role != chat.User:
		return false
	case m.fresh != nil:
		return m.fresh.made.Internal
	case !bytes.Contains(m.text, []byte(keyInternal)): // most prompts, and some are long
		return false
	}
	meta := m.meta()
	return string(get(m.text, keyInternal)) == "true" && get(meta, KeyCompaction) == nil && get(meta, keyCarried) == nil
}

// sentAnswer is the answer as later requests contain it, without a final message of the program
// that had no answer.
func (c *cell) sentAnswer() []*message {
	n := len(c.answer)
	for n > 0 && c.answer[n-1].fromProgram() {
		n--
	}
	return c.answer[:n]
}

// group splits messages into cells without ids.
func group(messages []*message) []*cell {
	var cells []*cell
	for i := 0; i < len(messages); {
		c := &cell{}
		if messages[i].isPrompt() {
			c.prompt = messages[i]
			i++
		}
		end := i
		for end < len(messages) && c.takesAnswer() && !messages[end].startsCell(end > i) {
			end++
		}
		c.answer = messages[i:end:end]
		i = end
		cells = append(cells, c)
	}
	return cells
}

// validID limits ids from a file or a caller to those that are harmless in a selector, an address
// or a log.
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

func (m *message) meta() []byte {
	_, meta := m.namedMeta()
	return meta
}

// namedMeta returns the key of our metadata in a message and its value, nil if there is none:
// "metadata", unless another program keeps something there that is not an object.
func (m *message) namedMeta() (name string, meta []byte) {
	raw := m.raw()
	if meta = getKnowing(raw, m.content, "metadata"); meta == nil || isObject(meta) {
		return "metadata", meta
	}
	return "mutsumi_metadata", getKnowing(raw, m.content, "mutsumi_metadata")
}

// withMeta returns the message with one key of its metadata set (nil: removed).
func (m *message) withMeta(key string, val []byte) *message {
	name, meta := m.namedMeta()
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
