package builtin

import (
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
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
	for _, h := range linediff.Hunks(a, b, diffContext) {
		if n++; n > most {
			break
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(h.A0, h.A1), span(h.B0, h.B1))
		for _, l := range h.Lines {
			if n++; n > most {
				break
			}
			out.WriteString(clip.Text(string(l.Sign)+strings.TrimSuffix(l.Text, "\n"), 300) + "\n")
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
	f.Added, f.Removed = linediff.Count(linediff.Changes(splitLines(before), splitLines(after)))
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
