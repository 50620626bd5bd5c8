package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/linediff"
)

const (
	around   = 3       // lines that are shown around a change
	mostDiff = 4 << 20 // bytes of a text that is compared
)

// Hunk is a stretch of differences with the lines around it, as in a unified
// diff, whose numbers From and To are. Lines carry their sign (" ", "-" or "+") and no line break.
type Hunk struct {
	ID     string   `json:"id"` // of this hunk on these texts
	From   int      `json:"from"`
	FromN  int      `json:"fromN"`
	To     int      `json:"to"`
	ToN    int      `json:"toN"`
	Lines  []string `json:"lines"`
	NoLast bool     `json:"noLast,omitempty"` // the last line of one side has no line break
	splits []linediff.Change
}

// isText reports whether content is shown line by line. A few zero bytes do not
// hide the rest of a text.
func isText(b []byte) bool {
	return utf8.Valid(b) && bytes.Count(b, []byte{0})*8 <= len(b)
}

// hunks puts differences that are near each other together.
func hunks(a, b []string) (out []Hunk, added, removed int) {
	for _, near := range linediff.Near(linediff.Changes(a, b), around) {
		first, last := near[0], near[len(near)-1]
		lead, tail := min(around, first.A0), min(around, len(a)-last.A1)
		h := Hunk{From: first.A0 - lead + 1, FromN: lead + last.A1 - first.A0 + tail, To: first.B0 - lead + 1, ToN: lead + last.B1 - first.B0 + tail, splits: near}
		at := first.A0 - lead
		for _, s := range near {
			h.add(" ", a[at:s.A0])
			h.add("-", a[s.A0:s.A1])
			h.add("+", b[s.B0:s.B1])
			removed += s.A1 - s.A0
			added += s.B1 - s.B0
			at = s.A1
		}
		h.add(" ", a[at:last.A1+tail])
		if h.FromN == 0 { // as diff -u writes it: behind this line
			h.From--
		}
		if h.ToN == 0 {
			h.To--
		}
		h.ID = h.name()
		out = append(out, h)
	}
	return out, added, removed
}

func (h *Hunk) add(sign string, text []string) {
	for _, l := range text {
		line, whole := strings.CutSuffix(l, "\n")
		h.NoLast = h.NoLast || !whole
		h.Lines = append(h.Lines, sign+line)
	}
}

func (h *Hunk) name() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %v\n%s", h.From, h.To, h.NoLast, strings.Join(h.Lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

// without gives text b with the hunk taken back to what a has.
func (h *Hunk) without(a, b []string) string {
	var out strings.Builder
	at := 0
	for _, s := range h.splits {
		for _, l := range b[at:s.B0] {
			out.WriteString(l)
		}
		for i, l := range a[s.A0:s.A1] {
			out.WriteString(l)
			// The last line of a had no break, and here more follows.
			if !strings.HasSuffix(l, "\n") && (i < s.A1-s.A0-1 || s.B1 < len(b)) {
				out.WriteByte('\n')
			}
		}
		at = s.B1
	}
	for _, l := range b[at:] {
		out.WriteString(l)
	}
	return out.String()
}
