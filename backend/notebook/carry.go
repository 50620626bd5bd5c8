package notebook

import (
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

// keyCarried is the metadata key for the origin of a prompt that was carried over.
const keyCarried = "carried_from"

// Carried is the origin of a cell that was carried over.
type Carried struct {
	UUID       string `json:"uuid,omitempty"` // of the notebook
	Name       string `json:"name"`           // that the notebook had
	Cell       string `json:"cell"`
	Conclusion bool   `json:"conclusion,omitempty"` // the last text of the answer alone
}

// CarriedCell is a cell taken from one notebook for another.
type CarriedCell struct {
	from   Carried
	prompt *message
	answer []*message
}

// Take takes the cell at a place for another notebook: the prompt with its answer, or the
// conclusion alone as a quotation. Its usage stays with the original notebook. The error is Invalid
// if there is nothing to take, Conflict while the answer is being written.
func (x *Line) Take(i int, from Carried) (*CarriedCell, error) {
	c := x.cells[i]
	if x.running[i] || x.infos[i] != nil && x.infos[i].Outcome == Elsewhere {
		return nil, fault.New(fault.Conflict, "Could not carry the cell over: its answer is being written. Wait until that is done, or stop it.")
	}
	if x.marks[i].compaction != nil {
		return nil, fault.New(fault.Invalid, "Could not carry the cell over: it is a summary of cells that the other notebook has not.")
	}
	from.Cell = c.id
	made := &CarriedCell{from: from}
	if !from.Conclusion {
		content := []byte(`""`)
		if made.answer = c.answer; c.prompt != nil {
			content = get(c.prompt.raw(), "content")
		}
		made.prompt = newPrompt(chat.User, content)
		return made, nil
	}
	text := ""
	for _, m := range c.answer {
		if said := m.decode(); m.role == chat.Assistant && strings.TrimSpace(said.Content.String()) != "" {
			text = strings.TrimSpace(said.Content.String())
		}
	}
	if text == "" {
		return nil, fault.New(fault.Invalid, "Could not carry the conclusion over: the answer has no text.")
	}
	text = "From “" + from.Name + "”:\n\n> " + strings.ReplaceAll(text, "\n", "\n> ")
	made.prompt = newPrompt(chat.User, jsontext.AppendString(nil, text))
	return made, nil
}

// Append adds a cell of another notebook after the last one, as one undo step. It is sent as it is:
// references and macros in it are not followed. The error is a Conflict while an answer is being
// written in the notebook.
func (l Lineage) Append(x *CarriedCell) (Change, error) {
	return l.carry("carry over", func(t *tx) error { return t.append(x) })
}

// Adopt puts all cells below one aside as a branch, and adds cells of another notebook in their
// place as Append does, as one undo step. Errors: those of Append; NotFound; Invalid if a branch
// cannot begin after the cell.
func (l Lineage) Adopt(cell string, cells []*CarriedCell) (Change, error) {
	return l.carry("take", func(t *tx) error {
		end, err := l.end(cell)
		if err != nil {
			return err
		}
		if end < len(l.d.cells.list) {
			if err := t.fork(Edit{Cell: cell}); err != nil {
				return err
			}
		}
		for _, x := range cells {
			if err := t.append(x); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l Lineage) carry(name string, do func(*tx) error) (Change, error) {
	if len(l.d.running) > 0 || l.d.RunsElsewhere() != nil {
		return Change{}, fault.New(fault.Conflict, "Could not carry the cell over: the other agent works. Wait until it is done, or stop it.")
	}
	t := l.d.begin()
	if err := do(t); err != nil {
		t.rollback()
		return Change{}, err
	}
	return t.commit(name), nil
}

func (t *tx) append(x *CarriedCell) error {
	id, err := t.newCellID("")
	if err != nil {
		return err
	}
	prompt := &message{text: set(x.prompt.raw(), messageDepth, keyInternal, []byte("true")), role: chat.User, count: x.prompt.count}
	prompt = prompt.withMeta("cell_id", quoteOrNil(id)).withMeta(keyCarried, layout(x.from, messageDepth+2))
	return t.splice(len(t.d.cells.list), 0, &cell{id: id, rev: t.d.cells.nextRev(), prompt: prompt, answer: x.answer})
}
