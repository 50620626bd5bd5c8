package compaction

import (
	"fmt"
	"slices"
	"strings"
)

// Limits limit the size of a request, in tokens. 0 means no limit.
type Limits struct {
	Window  int // of the model
	Answer  int // the longest answer that it may give
	Reserve int // left free in addition to the answer
	Cap     int // the person's limit
}

// windowShare is how much of the window a request may fill, in percent.
const windowShare = 80

// Trigger is the size from which a request is too large; 0: none is.
func (l Limits) Trigger() int {
	var bounds []int
	if l.Window > 0 {
		bounds = append(bounds, l.Window*windowShare/100, max(1, l.Window-l.Answer-l.Reserve))
	}
	if l.Cap > 0 {
		bounds = append(bounds, l.Cap)
	}
	if len(bounds) == 0 {
		return 0
	}
	return slices.Min(bounds)
}

// preparedShare is how full a request is, in percent of the trigger, when a summary is prepared in
// the background.
const preparedShare = 85

// Soon reports whether a request of so many tokens is near the trigger.
func Soon(tokens, trigger int) bool { return trigger > 0 && tokens*100 >= trigger*preparedShare }

// Cell is a cell of the conversation with the sizes of its messages.
type Cell struct {
	ID      string
	Tokens  int
	Pinned  bool // stays as it is
	Summary bool // is a summary of earlier cells
	Running bool // its answer is not complete: it stays
}

// Fixed is a part of a request that no summary makes smaller.
type Fixed struct {
	Name   string // "system message", "rules", "tools", "files"
	Tokens int
}

// Plan is a plan for a compaction.
type Plan struct {
	Covered []string // cells, in order; empty: nothing is worth covering
	Before  int      // tokens of Covered
	Stays   int      // tokens of everything that stays, without the summary
}

// TooLarge is the error for a request that is too large whatever is covered.
type TooLarge struct {
	Trigger int
	Parts   []Fixed // that make it so, the largest first
}

// Error implements error.
func (e *TooLarge) Error() string {
	parts := make([]string, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = fmt.Sprintf("%s %d", p.Name, p.Tokens)
	}
	return fmt.Sprintf("Could not make the request small enough: what no summary covers is larger than %d tokens (%s). Switch some of it off, or choose a model with a larger window.", e.Trigger, strings.Join(parts, ", "))
}

// keptShare is how much of the trigger the newest, uncovered cells fill, in percent.
const keptShare = 20

// PlanFor returns the cells for a summary to cover so that a request stays below the trigger. The
// last cell stays, and before it as many as fill a fifth of the trigger; pinned ones stay anywhere.
// With a trigger of 0 all but the last cell are covered. The error is a TooLarge if even then too
// much stays.
func PlanFor(cells []Cell, fixed []Fixed, trigger int) (p Plan, err error) {
	kept := 0
	from := len(cells) // cells from here on stay
	for i := len(cells) - 1; i >= 0; i-- {
		if last := i == len(cells)-1; !last && (kept+cells[i].Tokens)*100 > trigger*keptShare {
			break
		}
		kept += cells[i].Tokens
		from = i
	}
	for i, c := range cells {
		if i < from && !c.Pinned && !c.Running {
			p.Covered = append(p.Covered, c.ID)
			p.Before += c.Tokens
		} else {
			p.Stays += c.Tokens
		}
	}
	parts := []Fixed{{"the last cells and what is pinned", p.Stays}}
	for _, f := range fixed {
		p.Stays += f.Tokens
		parts = append(parts, f)
	}
	if trigger > 0 && p.Stays > trigger {
		slices.SortStableFunc(parts, func(a, b Fixed) int { return b.Tokens - a.Tokens })
		return p, &TooLarge{trigger, parts}
	}
	if len(p.Covered) == 1 && slices.ContainsFunc(cells, func(c Cell) bool { return c.Summary && c.ID == p.Covered[0] }) {
		p.Covered, p.Stays, p.Before = nil, p.Stays+p.Before, 0 // a summary of only a summary says less
	}
	return p, nil
}
