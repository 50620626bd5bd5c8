package summaries

import (
	"context"
	"encoding/json"
	"strings"

	"mutsumi/backend/compaction"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// Calls are what the person asks of a Maker. Package workspace embeds them.
type Calls struct{ maker *Maker }

// Calls gives what the person asks of it.
func (m *Maker) Calls() *Calls { return &Calls{m} }

// Wanted is the summary that the person wants.
type Wanted struct {
	Keep     int    `json:"keep"`               // cells before the last that stay
	Note     string `json:"note,omitempty"`     // what the summary has to say in particular
	Replaces string `json:"replaces,omitempty"` // the summary that gives way to the new one
	Unused   bool   `json:"unused,omitempty"`   // it is to be read first, and not sent yet
}

// maxNote bounds Wanted.Note, in bytes.
const maxNote = 4000

// Compact makes a summary by hand, see Maker.Make.
func (c *Calls) Compact(ctx context.Context, path string, w Wanted) (cell string, err error) {
	if w.Keep < 0 || len(w.Note) > maxNote {
		return "", fault.New(fault.Invalid, "Could not compact: keep 0 cells or more, and write at most %d bytes about what to keep.", maxNote)
	}
	return c.maker.Make(ctx, path, Order{Why: ByHand, Keep: w.Keep, Note: strings.TrimSpace(w.Note), Replaces: w.Replaces, Unused: w.Unused})
}

// MarkCell pins or mutes a cell, or takes that back, as a step that can be undone.
// mark is notebook.KeyPinned or notebook.KeyMuted.
func (c *Calls) MarkCell(path, cell, mark string, on bool) error {
	name, known := map[string]string{notebook.KeyPinned: "pin", notebook.KeyMuted: "mute"}[mark]
	if !known {
		return fault.New(fault.Invalid, "%q is no mark of a cell: pinned or muted", mark)
	}
	var value json.RawMessage
	if on {
		value = json.RawMessage("true")
	} else {
		name = "un" + name
	}
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) {
		return nb.ChangePrompts(name, mark, map[string]json.RawMessage{cell: value})
	})
}

// SwitchSummary takes a summary back, or brings it again, at any later time.
func (c *Calls) SwitchSummary(path, cell string, on bool) error {
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) { return nb.Summaries().Switch(cell, on) })
}

// LostInSummary lists what the cells say that a summary covers and the summary does not.
func (c *Calls) LostInSummary(path, cell string) (losses []compaction.Loss, err error) {
	var covered []compaction.Message
	summary := ""
	err = c.maker.with.Registry.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		cells, text, err := nb.Summaries().Covered(cell)
		for _, x := range cells {
			covered = append(covered, messagesOf(x, func(string) int { return 0 })...)
		}
		summary = text
		return err
	})
	if err != nil {
		return nil, err
	}
	return append([]compaction.Loss{}, compaction.Lost(covered, summary)...), nil
}

// PinInSummary adds a line to what a summary repeats word for word, or takes it away.
func (c *Calls) PinInSummary(path, cell, line string, on bool) error {
	line = "- " + strings.Join(strings.Fields(line), " ")
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) {
		_, text, err := nb.Summaries().Covered(cell)
		if err != nil {
			return notebook.Change{}, err
		}
		var lines []string
		for have := range strings.Lines(compaction.SectionOf(text, compaction.SectionPinned)) {
			if have = strings.TrimSpace(have); have != line {
				lines = append(lines, have)
			}
		}
		if on {
			lines = append(lines, line)
		}
		text = compaction.WithSection(text, compaction.SectionPinned, strings.Join(lines, "\n"))
		return nb.Apply([]notebook.Edit{{Kind: notebook.EditSetText, Cell: cell, Text: text}})
	})
}

func (m *Maker) change(path string, f func(*notebook.Document) (notebook.Change, error)) error {
	_, err := m.with.Registry.Change(path, "", f)
	if err == nil {
		m.with.Outbox.Emit(event.ContextChanged{Path: path})
	}
	return err
}
