package notebook

import (
	"slices"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

// Apply carries out edits in order, all or none, as one undo step. Errors are faults: NotFound for
// a missing cell or branch, Conflict for a cell that runs, Invalid for an edit that makes no sense.
func (d *Document) Apply(edits []Edit) (Change, error) {
	t := d.begin()
	t.typed = !slices.ContainsFunc(edits, func(e Edit) bool { return e.found || e.Kind != EditSetText && e.Kind != EditInsert })
	typed := len(edits) == 1 && edits[0].Kind == EditSetText && !edits[0].found
	if typed && edits[0].Undone {
		if done, err := t.takeBack(edits[0]); done || err != nil {
			return t.change(), err
		}
	}
	name := ""
	for _, e := range edits {
		label, err := t.edit(e)
		if err == nil && t.any {
			err = t.mergeAnswers()
		}
		if err != nil {
			t.rollback()
			return Change{}, err
		}
		if name == "" {
			name = label
		} else if name != label {
			name = "edit"
		}
	}
	if typed {
		if t.typedOn(edits[0]) {
			return t.change(), nil
		}
		t.step.typing, t.step.by, t.step.undone = edits[0].Cell, edits[0].by, edits[0].Undone
	}
	if len(edits) == 1 && edits[0].Kind == EditInsert && edits[0].Text != "" { // typed into the empty prompt at the end
		t.step.typing, t.step.by = t.newID, edits[0].by
	}
	return t.commit(name), nil
}

// edit carries out one edit and names it for the menu.
func (t *tx) edit(e Edit) (name string, err error) {
	switch e.Kind {
	case EditInsert:
		return "insert cell", t.insert(e)
	case EditSetText:
		if e.found {
			return "replace", t.setText(e)
		}
		return "typing", t.setText(e)
	case EditEarlier:
		return "earlier text", t.bringEarlier(e)
	case EditDelete:
		return "delete cell", t.delete(e)
	case EditMove:
		return "move cell", t.move(e)
	case EditSplit:
		return "split cell", t.split(e)
	case EditClear:
		return "clear answer", t.clear(e)
	case EditRewind:
		return "rewind", t.rewind(e)
	case EditFork:
		return "fork", t.fork(e)
	case EditRestore:
		return "restore branch", t.restore(e)
	case EditDropBranch:
		return "delete branch", t.dropBranch(e)
	case EditRename:
		t.setMeta("name", jsontext.AppendString(nil, e.Text))
		return "rename", nil
	case EditModel:
		t.setMeta("provider", quoteOrNil(e.Text))
		t.setMeta("model", quoteOrNil(e.Rest))
		return "choose model", nil
	}
	return "", fault.New(fault.Invalid, "there is no edit %q", e.Kind)
}

// place returns the target index for a cell.
func (t *tx) place(before string) (int, error) {
	if before == "" {
		return len(t.d.cells.list), nil
	}
	return t.d.cells.find(before)
}

// newCellID checks the id that the caller chose, or makes one.
func (t *tx) newCellID(id string) (string, error) {
	switch {
	case id == "":
		id = t.d.cells.freshID()
	case !validID(id):
		return "", fault.New(fault.Invalid, "%q cannot be the id of a cell", id)
	case t.d.cells.index(id) >= 0:
		return "", fault.New(fault.Invalid, "the notebook has a cell %q already", id)
	}
	t.newID = id
	return id, nil
}

func (t *tx) insert(e Edit) error {
	role := chat.Role(e.Role)
	switch role {
	case "":
		role = chat.User
	case chat.User, chat.System:
	default:
		return fault.New(fault.Invalid, "a cell cannot be inserted as %q: a prompt is user, a note is system", e.Role)
	}
	at, err := t.place(e.Before)
	if err != nil {
		return err
	}
	id, err := t.newCellID(e.ID)
	if err != nil {
		return err
	}
	prompt := newPrompt(role, t.d.links.setText(nil, e.Text))
	if e.draft && role == chat.User {
		prompt = prompt.withMeta(keyDraft, []byte("true"))
	}
	return t.splice(at, 0, &cell{id: id, rev: t.d.cells.nextRev(), prompt: prompt})
}

func (t *tx) setText(e Edit) error {
	at, err := t.d.cells.find(e.Cell)
	if err != nil {
		return err
	}
	c := *t.d.cells.list[at]
	c.rev = t.d.cells.nextRev()
	m := c.prompt
	if m == nil {
		if len(c.answer) != 1 || c.answer[0].role != chat.Assistant {
			return fault.New(fault.Invalid, "an answer of several messages cannot be edited as one text")
		}
		m = c.answer[0]
	}
	old := get(m.raw(), "content")
	if old != nil && !isNull(old) && t.d.links.text(old) == e.Text {
		return nil
	}
	m = m.withContent(t.d.links.setText(old, e.Text))
	if c.prompt != nil {
		c.prompt = t.keepEarlier(at, m)
	} else {
		c.answer = []*message{m}
	}
	return t.splice(at, 1, &c)
}

func (t *tx) delete(e Edit) error {
	at, err := t.d.cells.find(e.Cell)
	if err != nil {
		return err
	}
	return t.splice(at, 1)
}

func (t *tx) move(e Edit) error {
	from, err := t.d.cells.find(e.Cell)
	if err != nil {
		return err
	}
	to, err := t.place(e.Before)
	if err != nil || to == from || to == from+1 {
		return err
	}
	if to > from {
		to--
	}
	c := t.d.cells.list[from]
	if err := t.splice(from, 1); err != nil {
		return err
	}
	return t.splice(to, 0, c)
}

func (t *tx) split(e Edit) error {
	at, err := t.d.cells.find(e.Cell)
	if err != nil {
		return err
	}
	c := t.d.cells.list[at]
	if c.prompt == nil {
		return fault.New(fault.Invalid, "an answer cannot be split")
	}
	id, err := t.newCellID(e.ID)
	if err != nil {
		return err
	}
	old := get(c.prompt.raw(), "content")
	first := &cell{id: c.id, rev: t.d.cells.nextRev()}
	first.prompt = t.keepEarlier(at, c.prompt.withContent(t.d.links.setText(old, e.Text)).withMeta("run", nil))
	second := &cell{id: id, rev: t.d.cells.nextRev(), answer: c.answer}
	second.prompt = c.prompt.withContent(t.d.links.setText(old, e.Rest)).withMeta("cell_id", nil).withMeta(KeyCompaction, nil).withMeta(keyEarlier, nil)
	return t.splice(at, 1, first, second)
}

func (t *tx) clear(e Edit) error {
	at, err := t.d.cells.find(e.Cell)
	if err != nil {
		return err
	}
	c := *t.d.cells.list[at]
	if c.prompt == nil {
		return t.splice(at, 1)
	}
	prompt := c.prompt.withMeta("run", nil)
	if len(c.answer) == 0 && prompt == c.prompt {
		return nil
	}
	c.rev, c.prompt, c.answer = t.d.cells.nextRev(), prompt, nil
	return t.splice(at, 1, &c)
}
