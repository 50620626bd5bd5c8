package builtin

import (
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/linediff"
)

// diffContext is how many lines are shown around a change.
const diffContext = 3

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

// changeFacts counts the lines that a change of a file adds and removes.
func changeFacts(before, after string) *chat.CallFacts {
	f := &chat.CallFacts{}
	for _, c := range linediff.Changes(splitLines(before), splitLines(after)) {
		f.Added, f.Removed = f.Added+c.B1-c.B0, f.Removed+c.A1-c.A0
	}
	return f
}

// splitLines cuts a text into lines, each with its line break: that of
// Windows, and none at the end, are no difference.
func splitLines(s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return linediff.Lines(s)
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

func hunks(a, b []string) (out []hunk) {
	for _, near := range linediff.Near(linediff.Changes(a, b), diffContext) {
		first, last := near[0], near[len(near)-1]
		lead := min(diffContext, first.A0)
		tail := min(diffContext, len(a)-last.A1)
		h := hunk{a0: first.A0 - lead, a1: last.A1 + tail, b0: first.B0 - lead, b1: last.B1 + tail}
		at := h.a0
		for _, c := range near {
			h.add(" ", a[at:c.A0])
			h.add("-", a[c.A0:c.A1])
			h.add("+", b[c.B0:c.B1])
			at = c.A1
		}
		h.add(" ", a[at:h.a1])
		out = append(out, h)
	}
	return out
}

func (h *hunk) add(sign string, lines []string) {
	for _, l := range lines {
		h.lines = append(h.lines, sign+strings.TrimSuffix(l, "\n"))
	}
}
