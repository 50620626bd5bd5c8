// Package linediff compares two texts line by line. It is
// pure, and its effort is bounded: texts that have little in common count as
// replaced in larger pieces.
package linediff

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// effort is the number of added and removed lines up to which the fewest changes are searched for;
// beyond it the result has more changes than needed.
const effort = 1000

// Change replaces the lines A0 to A1 of one text by B0 to B1 of the other; lines are counted from
// 0, and A1 and B1 are excluded.
type Change struct{ A0, A1, B0, B1 int }

// Lines splits a text after its line breaks.
func Lines(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// Changes returns the changes that turn a into b, in order. Every line but the last one of a
// text ends in a line break.
func Changes(a, b []string) []Change {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	if start == endA && start == endB {
		return nil
	}
	if start == endA || start == endB {
		return []Change{{start, endA, start, endB}}
	}
	if changes, ok := fewest(a[start:endA], b[start:endB]); ok {
		for i := range changes {
			c := &changes[i]
			c.A0, c.A1, c.B0, c.B1 = c.A0+start, c.A1+start, c.B0+start, c.B1+start
		}
		return changes
	}
	return some(a, b, start, endA, endB)
}

// some finds changes between the lines start to endA of a and start to endB of b.
func some(a, b []string, start, endA, endB int) []Change {
	whole := []Change{{start, endA, start, endB}}
	before, after := strings.Join(a[start:endA], ""), strings.Join(b[start:endB], "")
	edits := udiff.Lines(before, after)
	var out []Change
	at, line, shift := 0, start, 0 // the offset in before, its line, and how far the other text is ahead
	for _, e := range edits {
		if e.Start < at || e.End > len(before) {
			return whole // not in order: nothing is guessed
		}
		line += strings.Count(before[at:e.Start], "\n")
		s := Change{A0: line, B0: line + shift}
		line += len(Lines(before[e.Start:e.End]))
		s.A1 = line
		s.B1 = s.B0 + len(Lines(e.New))
		shift += (s.B1 - s.B0) - (s.A1 - s.A0)
		at = e.End
		if n := len(out); n > 0 && out[n-1].A1 == s.A0 && out[n-1].B1 == s.B0 {
			out[n-1].A1, out[n-1].B1 = s.A1, s.B1
		} else {
			out = append(out, s)
		}
	}
	if !leads(a, b, out) {
		return whole
	}
	return out
}

// leads reports whether the differences make b of a.
func leads(a, b []string, all []Change) bool {
	x, y := 0, 0
	for _, s := range append(all, Change{len(a), len(a), len(b), len(b)}) {
		if s.A0 < x || s.A1 > len(a) || s.B1 > len(b) || s.A0-x != s.B0-y {
			return false
		}
		for ; x < s.A0; x, y = x+1, y+1 {
			if a[x] != b[y] {
				return false
			}
		}
		x, y = s.A1, s.B1
	}
	return true
}

// fewest finds the fewest changes from a to b (Myers), unless they are more than
// effort.
func fewest(a, b []string) ([]Change, bool) {
	most := min(len(a)+len(b), effort)
	v := make([]int, 2*most+2)
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(v[most-d:most+d+1]))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[most+k-1] < v[most+k+1] {
				x = v[most+k+1]
			} else {
				x = v[most+k-1] + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x++
				y++
			}
			v[most+k] = x
			if x >= len(a) && y >= len(b) {
				return backtrack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// backtrack walks the trace from the end and joins single edits.
func backtrack(trace [][]int, x, y int) []Change {
	var out []Change
	for d := len(trace) - 1; d > 0; d-- {
		v := trace[d] // the state before step d, for diagonals -d..d
		k := x - y
		get := func(k int) int { return v[k+d] }
		prev := k - 1
		if k == -d || k != d && get(k-1) < get(k+1) {
			prev = k + 1
		}
		px := get(prev)
		py := px - prev
		c := Change{px, px + 1, py, py} // a line of a is removed
		if prev == k+1 {
			c = Change{px, px, py, py + 1} // a line of b comes
		}
		if n := len(out); n > 0 && out[n-1].A0 == c.A1 && out[n-1].B0 == c.B1 {
			out[n-1].A0, out[n-1].B0 = c.A0, c.B0
		} else {
			out = append(out, c)
		}
		x, y = px, py
	}
	slices.Reverse(out)
	return out
}

// Hunk is a run of differences with the lines around it: lines A0 to A1 of
// one text and B0 to B1 of the other, counted as in Change.
type Hunk struct {
	A0, A1, B0, B1 int
	Changes        []Change
	Lines          []Line
}

// Line is a line of a hunk: unchanged (' '), removed ('-') or added ('+'). A and B are its places
// in the texts; a removed or added line is in one text only, and the other value is the current
// place there.
type Line struct {
	Sign byte
	A, B int
	Text string // with its line break
}

// Hunks returns the changes that turn a into b, with `around` lines before and
// after each. Changes whose surrounding lines would meet share a hunk.
func Hunks(a, b []string, around int) (all []Hunk) {
	for _, changes := range near(Changes(a, b), around) {
		first, last := changes[0], changes[len(changes)-1]
		lead, tail := min(around, first.A0), min(around, len(a)-last.A1)
		h := Hunk{A0: first.A0 - lead, A1: last.A1 + tail, B0: first.B0 - lead, B1: last.B1 + tail, Changes: changes}
		x, y := h.A0, h.B0
		stay := func(to int) {
			for ; x < to; x, y = x+1, y+1 {
				h.Lines = append(h.Lines, Line{' ', x, y, a[x]})
			}
		}
		for _, c := range changes {
			for stay(c.A0); x < c.A1; x++ {
				h.Lines = append(h.Lines, Line{'-', x, y, a[x]})
			}
			for ; y < c.B1; y++ {
				h.Lines = append(h.Lines, Line{'+', x, y, b[y]})
			}
		}
		stay(h.A1)
		all = append(all, h)
	}
	return all
}

// Count counts the added and removed lines.
func Count(changes []Change) (added, removed int) {
	for _, c := range changes {
		added += c.B1 - c.B0
		removed += c.A1 - c.A0
	}
	return added, removed
}

// near puts changes together that are so few lines apart that the lines which
// are shown around each would meet.
func near(all []Change, around int) (groups [][]Change) {
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].A0-all[end-1].A1 <= 2*around {
			end++
		}
		groups = append(groups, all[i:end])
		i = end
	}
	return groups
}
