package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/myers"
)

const (
	around    = 3       // lines that are shown around a change
	mostDiff  = 4 << 20 // bytes of a text that is compared
	mostMyers = 1000    // lines, of both sides together, that are compared for the shortest difference; more are compared with a bounded effort
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
	splits []split
}

// split replaces the lines a0 to a1 of one text by b0 to b1 of the other.
type split struct{ a0, a1, b0, b1 int }

func isText(b []byte) bool {
	return bytes.IndexByte(b, 0) < 0 && utf8.Valid(b)
}

// lines cuts a text behind its line breaks.
func lines(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// splits finds what is different between two texts, in lines.
func splits(a, b []string) []split {
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
	whole := []split{{start, endA, start, endB}}
	if start == endA || start == endB {
		return whole
	}
	before, after := strings.Join(a[start:endA], ""), strings.Join(b[start:endB], "")
	var edits []udiff.Edit
	if endA-start+endB-start <= mostMyers {
		edits = myers.ComputeEdits(before, after)
	} else {
		edits = udiff.Lines(before, after)
	}
	var out []split
	at, line, shift := 0, start, 0 // where in before, which line that is, and how far the other text is ahead
	for _, e := range edits {
		if e.Start < at || e.End > len(before) {
			return whole // not in order: nothing is guessed
		}
		line += strings.Count(before[at:e.Start], "\n")
		s := split{a0: line, b0: line + shift}
		line += len(lines(before[e.Start:e.End]))
		s.a1 = line
		s.b1 = s.b0 + len(lines(e.New))
		shift += (s.b1 - s.b0) - (s.a1 - s.a0)
		at = e.End
		if n := len(out); n > 0 && out[n-1].a1 == s.a0 && out[n-1].b1 == s.b0 {
			out[n-1].a1, out[n-1].b1 = s.a1, s.b1
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
func leads(a, b []string, all []split) bool {
	x, y := 0, 0
	for _, s := range append(all, split{len(a), len(a), len(b), len(b)}) {
		if s.a0 < x || s.a1 > len(a) || s.b1 > len(b) || s.a0-x != s.b0-y {
			return false
		}
		for ; x < s.a0; x, y = x+1, y+1 {
			if a[x] != b[y] {
				return false
			}
		}
		x, y = s.a1, s.b1
	}
	return true
}

// hunks puts differences that are near each other together.
func hunks(a, b []string) (out []Hunk, added, removed int) {
	all := splits(a, b)
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].a0-all[end-1].a1 <= 2*around {
			end++
		}
		first, last := all[i], all[end-1]
		lead, tail := min(around, first.a0), min(around, len(a)-last.a1)
		h := Hunk{From: first.a0 - lead + 1, FromN: lead + last.a1 - first.a0 + tail, To: first.b0 - lead + 1, ToN: lead + last.b1 - first.b0 + tail, splits: all[i:end]}
		at := first.a0 - lead
		for _, s := range all[i:end] {
			h.add(" ", a[at:s.a0])
			h.add("-", a[s.a0:s.a1])
			h.add("+", b[s.b0:s.b1])
			removed += s.a1 - s.a0
			added += s.b1 - s.b0
			at = s.a1
		}
		h.add(" ", a[at:last.a1+tail])
		if h.FromN == 0 { // as diff -u writes it: behind this line
			h.From--
		}
		if h.ToN == 0 {
			h.To--
		}
		h.ID = h.name()
		out = append(out, h)
		i = end
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
		for _, l := range b[at:s.b0] {
			out.WriteString(l)
		}
		for i, l := range a[s.a0:s.a1] {
			out.WriteString(l)
			// The last line of a had no break, and here more follows.
			if !strings.HasSuffix(l, "\n") && (i < s.a1-s.a0-1 || s.b1 < len(b)) {
				out.WriteByte('\n')
			}
		}
		at = s.b1
	}
	for _, l := range b[at:] {
		out.WriteString(l)
	}
	return out.String()
}
