package summaries

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"mutsumi/backend/compaction"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// Calls lets the person use a Maker. Package workspace embeds it.
type Calls struct{ maker *Maker }

// Calls returns the person's access to the Maker.
func (m *Maker) Calls() *Calls { return &Calls{m} }

// Wanted is the summary that the person wants.
type Wanted struct {
	Keep     int    `json:"keep"`               // cells before the last that stay
	Note     string `json:"note,omitempty"`     // what the summary must mention
	Replaces string `json:"replaces,omitempty"` // the summary that gives way to the new one
	Unused   bool   `json:"unused,omitempty"`   // for reading first; not sent yet
}

// Compact begins to make a summary in the background, see Maker.Make; events
// report its end. Errors: Invalid for a wish that cannot be; Conflict while one is
// being made.
func (c *Calls) Compact(path string, w Wanted) error {
	if w.Keep < 0 || len(w.Note) > maxNote {
		return fault.New(fault.Invalid, "Could not compact: keep 0 cells or more, and write at most %d bytes about what to keep.", maxNote)
	}
	m := c.maker
	ctx, cancel := context.WithCancelCause(m.with.Context)
	if !m.making.add(path, cancel) {
		cancel(nil)
		return fault.New(fault.Conflict, "Could not compact: a summary of this notebook is being made.")
	}
	m.with.Outbox.Emit(event.Compaction{Path: path, Running: true})
	m.with.Start(func() {
		defer cancel(nil)
		cell, err := m.Make(ctx, path, Order{Why: ByHand, Keep: w.Keep, Note: strings.TrimSpace(w.Note), Replaces: w.Replaces, Unused: w.Unused})
		end := event.Compaction{Path: path, Cell: cell}
		if err != nil && context.Cause(ctx) != errStopped {
			end.Fault = fault.Of(err)
		}
		m.making.remove(path)
		m.with.Outbox.Emit(end)
	})
	return nil
}

// StopCompaction ends what Compact began. The notebook stays as it is.
func (c *Calls) StopCompaction(path string) error {
	c.maker.making.stop(path)
	return nil
}

// maxNote bounds Wanted.Note, in bytes.
const maxNote = 4000

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

// MuteResult leaves the result of a call out of what models get, or sends it again.
func (c *Calls) MuteResult(path, cell, call string, on bool) error {
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) {
		return nb.Summaries().MuteResult(cell, call, on)
	})
}

// PinResult keeps the result of a call whole for models, or no longer does: it is not cut,
// and no summary covers its cell.
func (c *Calls) PinResult(path, cell, call string, on bool) error {
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) {
		return nb.Summaries().PinResult(cell, call, on)
	})
}

// SwitchSummary switches a summary off or on again, at any later time.
func (c *Calls) SwitchSummary(path, cell string, on bool) error {
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) { return nb.Summaries().Switch(cell, on) })
}

// Details are the omissions of a summary and the sizes of its parts.
type Details struct {
	Lost     []compaction.Loss `json:"lost"`
	Sections []SectionTokens   `json:"sections"`
	Tokens   int               `json:"tokens"` // of the whole summary
	Turns    int               `json:"turns"`  // requests of the cells after it that began after it was made
}

// SectionTokens is how long a part of a summary is.
type SectionTokens struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

// SummaryDetails compares a summary with the cells that it covers.
func (c *Calls) SummaryDetails(path, cell string) (v Details, err error) {
	var covered []compaction.Message
	summary, model, turns := "", "", 0
	err = c.maker.with.Registry.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		cells, text, err := nb.Summaries().Covered(cell)
		for _, x := range cells {
			covered = append(covered, messagesOf(x, func(string) int { return 0 })...)
		}
		summary, turns = text, nb.Summaries().RequestsSince(cell)
		if _, e, unknown := c.maker.with.Kinds.ResolveModel(nb.Meta()); unknown == nil {
			model = e.Model.ID
		}
		return err
	})
	if err != nil {
		return Details{}, err
	}
	count := c.maker.with.Counters.For(model).Count
	v = Details{Lost: append([]compaction.Loss{}, compaction.Lost(covered, summary)...), Sections: []SectionTokens{}, Tokens: count(summary), Turns: turns}
	for _, s := range compaction.Split(summary) {
		v.Sections = append(v.Sections, SectionTokens{s.Name, count(s.Text)})
	}
	return v, nil
}

// PinInSummary adds lines to those that a summary repeats verbatim, or removes them, as one undo
// step.
func (c *Calls) PinInSummary(path, cell string, texts []string, on bool) error {
	pins := map[string]bool{}
	for _, text := range texts {
		pins["- "+strings.Join(strings.Fields(text), " ")] = true
	}
	return c.maker.change(path, func(nb *notebook.Document) (notebook.Change, error) {
		_, text, err := nb.Summaries().Covered(cell)
		if err != nil {
			return notebook.Change{}, err
		}
		var lines []string
		for have := range strings.Lines(compaction.SectionOf(text, compaction.SectionPinned)) {
			if have = strings.TrimSpace(have); on || !pins[have] {
				lines = append(lines, have)
				delete(pins, have)
			}
		}
		if on {
			lines = append(lines, slices.Sorted(maps.Keys(pins))...)
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
