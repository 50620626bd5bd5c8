package linediff

import (
	"fmt"
	"strings"

	"mutsumi/backend/clip"
)

const (
	linesAround = 3   // shown around a change
	widestLine  = 300 // characters
)

// TextLines splits a text into lines, each with its line break: that of Windows, and none at the
// end, are no difference.
func TextLines(s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return Lines(s)
}

// Unified writes the difference of two texts as a model and a person know it, with at most most
// lines; "" when they are the same.
func Unified(a, b []string, most int) string {
	var out strings.Builder
	n := 0
	for _, h := range Hunks(a, b, linesAround) {
		if n++; n > most {
			break
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(h.A0, h.A1), span(h.B0, h.B1))
		for _, l := range h.Lines {
			if n++; n > most {
				break
			}
			out.WriteString(clip.Text(string(l.Sign)+strings.TrimSuffix(l.Text, "\n"), widestLine) + "\n")
		}
	}
	if n > most {
		out.WriteString("[the rest of the difference is left out]\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func span(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
