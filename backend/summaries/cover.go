package summaries

import (
	"mutsumi/backend/compaction"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// coverage is the part of a conversation that a summary covers.
type coverage struct {
	ids      []string // of cells, in order
	revs     map[string]int
	messages []compaction.Message
	tokens   int // of messages
	behind   int // of the cells after them
}

// cover selects the cells that a summary covers. Errors: Invalid when there are
// none; *compaction.TooLarge.
func (src source) cover(o Order, count func(string) int) (c coverage, err error) {
	cells := src.cells
	if o.overflow != nil {
		cells = upTo(cells, o.overflow.Cell)
	}
	plan := make([]compaction.Cell, len(cells))
	messages := make([][]compaction.Message, len(cells))
	for i, cell := range cells {
		messages[i] = messagesOf(cell, count)
		plan[i] = compaction.Cell{ID: cell.ID, Pinned: cell.Pinned, Summary: cell.Summary, Running: cell.Running}
		for _, m := range messages[i] {
			plan[i].Tokens += m.Tokens
		}
	}
	p, err := planFor(plan, o)
	if err != nil {
		return c, err
	}
	if len(p.Covered) == 0 {
		return c, fault.New(fault.Invalid, "Could not compact: there are no earlier cells to summarise.")
	}
	c.ids, c.tokens, c.revs = p.Covered, p.Before, map[string]int{}
	next := 0
	for i, cell := range cells {
		if next < len(p.Covered) && cell.ID == p.Covered[next] {
			next++
			c.revs[cell.ID] = cell.Rev
			c.messages = append(c.messages, messages[i]...)
			c.behind = 0
			continue
		}
		c.behind += plan[i].Tokens
	}
	return c, nil
}

func planFor(cells []compaction.Cell, o Order) (compaction.Plan, error) {
	if o.overflow != nil {
		return compaction.PlanFor(cells, o.overflow.Fixed, o.overflow.Trigger)
	}
	for i := max(0, len(cells)-1-o.Keep); i < len(cells); i++ {
		cells[i].Pinned = true // in addition to the last, which stays anyway
	}
	return compaction.PlanFor(cells, nil, 0)
}

// upTo gives the cells up to one, all of them when it is not there.
func upTo(cells []notebook.CompactionCell, id string) []notebook.CompactionCell {
	for i, c := range cells {
		if c.ID == id {
			return cells[:i+1]
		}
	}
	return cells
}
