package notebook

import (
	"slices"

	"mutsumi/backend/chat"
)

// keyDraft marks a prompt that is typed while another process runs the notebook's agent: it
// is not for that agent. A run of the prompt removes it.
const keyDraft = "draft"

// Drafts returns edits whose new prompts are drafts: another process runs the agent, and does not
// get them.
func Drafts(edits []Edit) []Edit {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].draft = true
	}
	return edits
}

// AwaitsAnswer reports whether a cell of d is a prompt that was never run: it has a text and no
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

// Messages returns the number of messages in the snapshot.
func (s *Snapshot) Messages() (n int) {
	for _, c := range s.cells {
		n += c.messages()
	}
	return n
}

// messages is the number of messages that the cell has in the file.
func (c *cell) messages() int {
	if c.prompt == nil {
		return len(c.answer)
	}
	return 1 + len(c.answer)
}
