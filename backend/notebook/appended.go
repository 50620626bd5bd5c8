package notebook

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"mutsumi/backend/chat"
)

// TakeAppended adds the cells that another program appended to the file. base is
// what this program read or wrote last, disk what is there now. It returns false,
// and changes nothing, if they differ in anything but whole cells at the end: then
// disk contradicts base. The new cells come after all cells of d, with no undo step.
func (d *Document) TakeAppended(base *Snapshot, disk *Document) (Change, bool) {
	at := disk.appendedTo(base)
	if at < 0 {
		return Change{}, false
	}
	var messages []*message
	for _, c := range disk.cells.list[at:] {
		if c.prompt != nil {
			messages = append(messages, c.prompt)
		}
		messages = append(messages, c.answer...)
	}
	t := d.begin()
	t.put(len(d.cells.list), 0, d.cells.derive(messages))
	d.rev++
	return t.change(), true
}

// keyDraft marks a prompt that is typed while another process runs the notebook's agent: it
// is not for that agent. A run of the prompt removes it.
const keyDraft = "draft"

// Drafts returns edits whose new prompts are drafts: another process runs the agent, and
// does not get them.
func Drafts(edits []Edit) []Edit {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].draft = true
	}
	return edits
}

// AwaitsAnswer reports whether a cell of d is a prompt that nobody ran: it has a text and no
// answer, and is neither a draft nor a summary.
func AwaitsAnswer(d *Document, id string) bool {
	at := d.cells.index(id)
	if at < 0 {
		return false
	}
	c := d.cells.list[at]
	return c.role() == chat.User && len(c.answer) == 0 && c.prompt.chars() > 0 && c.marks().compaction == nil && !c.marks().muted &&
		readRun(c.prompt) == nil && get(c.prompt.meta(), keyDraft) == nil
}

// appendedTo returns the index of the first cell behind those of base; -1: d is not
// base with cells behind it.
func (d *Document) appendedTo(base *Snapshot) int {
	rest := base.Messages()
	at := 0
	for ; at < len(d.cells.list) && rest > 0; at++ {
		rest -= d.cells.list[at].messages()
	}
	if rest != 0 || at == len(d.cells.list) || d.cells.list[at].prompt == nil {
		return -1
	}
	same := d.Encoded()
	same.cells = same.cells[:at]
	if !bytes.Equal(same.sum(), base.sum()) {
		return -1
	}
	return at
}

// Messages returns how many messages the snapshot has.
func (s *Snapshot) Messages() (n int) {
	for _, c := range s.cells {
		n += c.messages()
	}
	return n
}

// messages is how many messages the cell has in the file.
func (c *cell) messages() int {
	if c.prompt == nil {
		return len(c.answer)
	}
	return 1 + len(c.answer)
}

// sum is a hash of the text of the file.
func (s *Snapshot) sum() []byte {
	h := sha256.New()
	_, _ = s.WriteTo(h)
	return h.Sum(nil)
}
