package builtin

import (
	"fmt"
	"slices"
	"strings"
)

const (
	diffContext = 3
	diffEffort  = 1000 // edits that are looked for; more count as all changed
)

// unified writes the difference of two texts as a model and a person know it,
// with at most most lines; "" when they are the same.
func unified(before, after string, most int) string {
	a, b := splitLines(before), splitLines(after)
	var out strings.Builder
	n := 0
	for _, h := range hunks(a, b) {
		if n++; n > most {
			break
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(h.a0, h.a1), span(h.b0, h.b1))
		for _, l := range h.lines {
			if n++; n > most {
				break
			}
			out.WriteString(clip(l, 300) + "\n")
		}
	}
	if n > most {
		out.WriteString("[the rest of the difference is left out]\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func splitLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func span(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// hunk is a stretch of changes with the lines around it; bounds are indices.
type hunk struct {
	a0, a1, b0, b1 int
	lines          []string
}

// change replaces a[a0:a1] by b[b0:b1].
type change struct{ a0, a1, b0, b1 int }

func hunks(a, b []string) []hunk {
	var out []hunk
	changes := compareLines(a, b)
	for i := 0; i < len(changes); {
		end := i + 1
		for end < len(changes) && changes[end].a0-changes[end-1].a1 <= 2*diffContext {
			end++
		}
		first, last := changes[i], changes[end-1]
		lead := min(diffContext, first.a0)
		tail := min(diffContext, len(a)-last.a1)
		h := hunk{a0: first.a0 - lead, a1: last.a1 + tail, b0: first.b0 - lead, b1: last.b1 + tail}
		at := h.a0
		for _, c := range changes[i:end] {
			h.add(" ", a[at:c.a0])
			h.add("-", a[c.a0:c.a1])
			h.add("+", b[c.b0:c.b1])
			at = c.a1
		}
		h.add(" ", a[at:h.a1])
		out = append(out, h)
		i = end
	}
	return out
}

func (h *hunk) add(sign string, lines []string) {
	for _, l := range lines {
		h.lines = append(h.lines, sign+l)
	}
}

// compareLines finds the fewest changes from a to b (Myers), up to an effort;
// past it everything between the common ends counts as one change.
func compareLines(a, b []string) []change {
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
	changes, ok := myers(a[start:endA], b[start:endB])
	if !ok {
		changes = []change{{0, endA - start, 0, endB - start}}
	}
	for i := range changes {
		c := &changes[i]
		c.a0, c.a1, c.b0, c.b1 = c.a0+start, c.a1+start, c.b0+start, c.b1+start
	}
	return changes
}

func myers(a, b []string) ([]change, bool) {
	most := min(len(a)+len(b), diffEffort)
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
func backtrack(trace [][]int, x, y int) []change {
	var out []change
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
		c := change{px, px + 1, py, py} // a line of a goes
		if prev == k+1 {
			c = change{px, px, py, py + 1} // a line of b comes
		}
		if n := len(out); n > 0 && out[n-1].a0 == c.a1 && out[n-1].b0 == c.b1 {
			out[n-1].a0, out[n-1].b0 = c.a0, c.b0
		} else {
			out = append(out, c)
		}
		x, y = px, py
	}
	slices.Reverse(out)
	return out
}
