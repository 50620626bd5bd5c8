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
	around  = 3       // lines that are shown around a change
	maxDiff = 4 << 20 // bytes of a text that is compared
)

// Hunk is a run of differences with the lines around it, numbered From and To as in a unified diff.
// Lines carry their sign (" ", "-" or "+") and no line break.
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

// hunks returns the differences of two texts, and counts their lines.
func hunks(a, b []string) (out []Hunk, added, removed int) {
	for _, d := range linediff.Hunks(a, b, around) {
		h := Hunk{From: d.A0 + 1, FromN: d.A1 - d.A0, To: d.B0 + 1, ToN: d.B1 - d.B0, splits: d.Changes}
		if h.FromN == 0 { // as diff -u writes it: after this line
			h.From--
		}
		if h.ToN == 0 {
			h.To--
		}
		for _, l := range d.Lines {
			line, whole := strings.CutSuffix(l.Text, "\n")
			h.NoLast = h.NoLast || !whole
			h.Lines = append(h.Lines, string(l.Sign)+line)
		}
		h.ID = h.name()
		out = append(out, h)
		more, less := linediff.Count(d.Changes)
		added, removed = added+more, removed+less
	}
	return out, added, removed
}

func (h *Hunk) name() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %v\n%s", h.From, h.To, h.NoLast, strings.Join(h.Lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

// without returns text b with the hunk reverted to a.
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
