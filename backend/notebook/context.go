package notebook

import (
	"encoding/json"
	"maps"
	"slices"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/halves"
)

// Values of the metadata, and of prompts' own metadata, that other packages store in a notebook and
// this one does not interpret.

// Raw returns a value of the metadata as JSON, nil if it is not there.
func (d *Document) Raw(key string) json.RawMessage { return json.RawMessage(d.meta.get(key)) }

// ChangeMeta sets values of the metadata as one undo step called name; nil
// removes. If a text is not JSON, the error is Invalid and nothing is set.
func (d *Document) ChangeMeta(name string, values map[string]json.RawMessage) (Change, error) {
	if err := allJSON(values); err != nil {
		return Change{}, err
	}
	t := d.begin()
	for _, key := range sortedKeys(values) {
		t.setMeta(key, normalised(values[key], metaDepth+1))
	}
	return t.commit(name), nil
}

// PromptMeta returns a value of a prompt's metadata, nil if it is not there.
// The error is NotFound.
func (d *Document) PromptMeta(id, key string) (json.RawMessage, error) {
	at, err := d.cells.find(id)
	if err != nil || d.cells.list[at].prompt == nil {
		return nil, err
	}
	return json.RawMessage(get(d.cells.list[at].prompt.meta(), key)), nil
}

// ChangePrompts sets one key in the metadata of several prompts as one undo step called name; nil
// removes. Errors: NotFound; Conflict for a cell whose answer is being written; Invalid for a value
// that is not JSON. On an error nothing is set.
func (d *Document) ChangePrompts(name, key string, values map[string]json.RawMessage) (Change, error) {
	if err := allJSON(values); err != nil {
		return Change{}, err
	}
	t := d.begin()
	for _, id := range sortedKeys(values) {
		at, err := d.cells.find(id)
		if err == nil && d.cells.list[at].prompt == nil {
			err = fault.New(fault.Invalid, "cell %s has no prompt", id)
		}
		if err == nil {
			c := d.cells.withPromptMeta(at, key, values[id])
			err = t.splice(at, 1, c)
		}
		if err != nil {
			t.rollback()
			return Change{}, err
		}
	}
	return t.commit(name), nil
}

// KeepPromptMeta sets a key in the metadata of the running prompt; it becomes part of the run's
// undo step. Errors: NotFound; Conflict if the cell is not running; Invalid for a value that is not
// JSON.
func (d *Document) KeepPromptMeta(id, key string, raw json.RawMessage) error {
	at, err := d.cells.find(id)
	if err != nil {
		return err
	}
	if d.running[id] == nil {
		return fault.New(fault.Conflict, "no run is under way in this cell")
	}
	if raw != nil && !json.Valid(raw) {
		return fault.New(fault.Invalid, "set %s: this is not JSON", key)
	}
	d.cells.list[at] = d.cells.withPromptMeta(at, key, raw)
	d.rev++
	return nil
}

// HistoryMessage is a message of the history with its cell. Sent is the value of the requested key
// in a prompt's metadata.
type HistoryMessage struct {
	Cell     string
	Message  chat.Message
	Internal bool // nobody typed it: is_internal
	Sent     json.RawMessage
}

// HistoryMessages lists the messages that are sent before a cell's answer. It omits what a summary
// above the cell covers, what is muted, and summaries that were switched off. The cell's own prompt
// is always included. For each prompt it also returns the value of key in its metadata.
func (d *Document) HistoryMessages(id, key string) ([]HistoryMessage, error) {
	at, err := d.cells.find(id)
	if err != nil {
		return nil, err
	}
	covered := d.cells.covered(at)
	cells := make([]*cell, 0, at+1)
	starts := make([]int, 1, at+2) // where the messages of each cell begin
	for i, c := range d.cells.list[:at+1] {
		if i < at && !c.isSent(covered) {
			continue
		}
		n := starts[len(cells)]
		if c.prompt != nil {
			n++
		}
		if i < at {
			n += len(c.sentAnswer())
		}
		cells, starts = append(cells, c), append(starts, n)
	}
	turns := make([]HistoryMessage, starts[len(cells)])
	fill := func(from, to int) {
		for i, c := range cells[from:to] {
			own := turns[starts[from+i]:starts[from+i+1]]
			if c.prompt != nil {
				m := c.prompt.decode()
				own[0], own = HistoryMessage{c.id, m.Message, m.Internal, json.RawMessage(get(c.prompt.meta(), key))}, own[1:]
			}
			for k := range own {
				m := c.sent(c.answer[k])
				own[k] = HistoryMessage{Cell: c.id, Message: m.Message, Internal: m.Internal}
			}
		}
	}
	middle, _ := slices.BinarySearch(starts, len(turns)/2)
	halves.At(middle, len(cells), manyCells, fill)
	return turns, nil
}

// manyCells is the number of cells from which two goroutines read them.
const manyCells = 64

func allJSON(values map[string]json.RawMessage) error {
	for key, raw := range values {
		if raw != nil && !json.Valid(raw) {
			return fault.New(fault.Invalid, "set %s: this is not JSON", key)
		}
	}
	return nil
}

func normalised(raw json.RawMessage, depth int) []byte {
	if raw == nil {
		return nil
	}
	return normalise(nil, raw, depth)
}

func sortedKeys(m map[string]json.RawMessage) []string { return slices.Sorted(maps.Keys(m)) }

// ContentOf returns the content that a prompt would have with another text: the
// images inside the message stay where their links are. For an unknown cell
// it is the text alone.
func (d *Document) ContentOf(id, text string) chat.Content {
	at, err := d.cells.find(id)
	if err != nil || d.cells.list[at].prompt == nil {
		return chat.Text(text)
	}
	return decodeContent(d.links.setText(get(d.cells.list[at].prompt.raw(), "content"), text))
}

// Keep sets a value of the metadata; nil removes it. It is not an undo step. Text
// that is not JSON is Invalid.
func (d *Document) Keep(key string, raw json.RawMessage) error {
	if raw == nil {
		d.setMeta(key, nil)
		return nil
	}
	if !json.Valid(raw) {
		return fault.New(fault.Invalid, "set %s: this is not JSON", key)
	}
	d.setMeta(key, normalise(nil, raw, metaDepth+1))
	return nil
}
