// Package finder finds names by a few of their letters, as people type them
// to complete a path: "wsrun" finds backend/workspace/run.go. It holds a list
// and searches it; where the names come from is the caller's, package
// workspace's. It reads no file.
package finder

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index is a list of names to search. It is not changed once it is made and
// may be used by many goroutines.
type Index struct{ names []name }

// name is a name with what makes most misses quick.
type name struct {
	text  string
	lower string
	has   uint64 // which letters occur, see mask
	base  int    // where the last element begins
}

// Match is a name that was found. At are the positions in it that matched, in
// bytes; Score is higher for the better.
type Match struct {
	Text  string
	At    []int
	Score int
}

// New makes an index of names, which are paths with slashes.
func New(names []string) *Index {
	x := &Index{names: make([]name, len(names))}
	for i, n := range names {
		lower := strings.ToLower(n)
		if len(lower) != len(n) {
			lower = n // positions have to agree: such a name is found by its own letters only
		}
		x.names[i] = name{n, lower, mask(lower), strings.LastIndexByte(strings.TrimSuffix(n, "/"), '/') + 1}
	}
	return x
}

// Len is the number of names.
func (x *Index) Len() int { return len(x.names) }

// Search returns the best matches of a query, at most limit, best first. Every letter of the query
// has to occur in order, in any case; adjacent letters, and letters at the start of words and in
// the last element, count more. Names with scattered letters are omitted if another name has them
// together. An empty query gives the shortest names.
func (x *Index) Search(query string, limit int) []Match {
	q := strings.ToLower(strings.ReplaceAll(query, " ", ""))
	need := mask(q)
	type hit struct{ at, score int }
	var together, strewn []hit
	for i := range x.names {
		n := &x.names[i]
		if n.has&need != need {
			continue
		}
		switch score, quality := n.score(q); quality {
		case lettersTogether:
			together = append(together, hit{i, score})
		case lettersStrewn:
			strewn = append(strewn, hit{i, score})
		}
	}
	hits := together
	if len(hits) == 0 {
		hits = strewn
	}
	order := func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(x.names[a.at].text), len(x.names[b.at].text)),
			cmp.Compare(x.names[a.at].text, x.names[b.at].text))
	}
	if len(hits) > 8*limit { // sorting all of them is not needed to find the best
		slices.SortFunc(hits[:limit], order)
		worst := hits[limit-1]
		kept := hits[:limit:limit]
		var more []hit
		for _, h := range hits[limit:] {
			if order(h, worst) < 0 {
				more = append(more, h)
			}
		}
		hits = append(kept, more...)
	}
	slices.SortFunc(hits, order)
	out := make([]Match, 0, min(limit, len(hits)))
	for _, h := range hits[:min(limit, len(hits))] {
		n := &x.names[h.at]
		out = append(out, Match{n.text, n.positions(q), h.score})
	}
	return out
}

// mask has a bit for each of a-z and 0-9, and one for everything else together.
func mask(s string) (m uint64) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			m |= 1 << (c - 'a')
		case c >= '0' && c <= '9':
			m |= 1 << (26 + c - '0')
		default:
			m |= 1 << 40
		}
	}
	return m
}

// Points of a match.
const (
	pointLetter = 1
	pointRow    = 5  // directly after the previous letter
	pointWord   = 6  // at the start of a word
	pointBase   = 3  // in the last element
	pointStart  = 10 // at the start of the last element
	pointWhole  = 40 // the query is in the last element as it is
)

// quality is how a name contains the letters of a query.
type quality int

const (
	noMatch quality = iota
	lettersStrewn
	lettersTogether // in rows, or at the start of words
)

// score rates a name for a query. It searches for the letters from the end, so that it prefers the
// last element.
func (n *name) score(q string) (int, quality) {
	if q == "" {
		return -len(n.text), lettersTogether
	}
	points := 0
	if at := strings.Index(n.lower[n.base:], q); at >= 0 {
		points = pointWhole + len(q)*(pointRow+pointBase)
		if at == 0 {
			points += pointStart
		} else if n.starts(n.base + at) {
			points += pointWord
		}
		return points - len(n.text)/8, lettersTogether
	}
	last, loose := -1, 0 // loose: letters that neither are in a row nor start a word
	for i, k := len(n.lower)-1, len(q)-1; ; i-- {
		if k < 0 {
			if strings.Contains(n.lower, q) || 2*loose <= len(q) {
				return points - len(n.text)/8, lettersTogether
			}
			return points - len(n.text)/8, lettersStrewn
		}
		if i < 0 {
			return 0, noMatch
		}
		if n.lower[i] != q[k] {
			continue
		}
		inRow := last == i+1 || k > 0 && i > 0 && n.lower[i-1] == q[k-1]
		if !inRow && !n.starts(i) {
			loose++
		}
		points += pointLetter
		if last == i+1 {
			points += pointRow
		}
		if n.starts(i) {
			points += pointWord
		}
		if i >= n.base {
			points += pointBase
		}
		last = i
		k--
	}
}

// positions are the bytes that score counted.
func (n *name) positions(q string) []int {
	at := make([]int, 0, len(q))
	if q == "" {
		return at
	}
	if i := strings.Index(n.lower[n.base:], q); i >= 0 {
		for k := range len(q) {
			at = append(at, n.base+i+k)
		}
		return at
	}
	for i, k := len(n.lower)-1, len(q)-1; i >= 0 && k >= 0; i-- {
		if n.lower[i] == q[k] {
			at = append(at, i)
			k--
		}
	}
	slices.Reverse(at)
	return at
}

// starts reports whether a word begins at byte i.
func (n *name) starts(i int) bool {
	if i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(n.text[:i])
	here, _ := utf8.DecodeRuneInString(n.text[i:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) || unicode.IsLower(before) && unicode.IsUpper(here)
}
