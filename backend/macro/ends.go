package macro

import "slices"

// ends knows where the `}` of a text are, apart for an even and an odd number
// of quotes before them. Seen from a place outside quotes, those with as many
// quotes before them (modulo 2) as the place itself are outside quoted values.
// It is made once for a text, so that a thousand commands that never end do
// not cost a thousand walks to the end.
type ends struct {
	quotes    []int    // places of '"'
	newlines  []int    // places of '\n'
	byParity  [2][]int // places of '}'
	lastQuote int
}

func findEnds(text string) *ends {
	e := &ends{lastQuote: -1}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\': // an escaped character in a quoted value opens and closes none
			if i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\') {
				i++
			}
		case '"':
			e.quotes = append(e.quotes, i)
			e.lastQuote = i
		case '\n':
			e.newlines = append(e.newlines, i)
		case '}':
			parity := len(e.quotes) & 1
			e.byParity[parity] = append(e.byParity[parity], i)
		}
	}
	return e
}

// next returns the place of the `}` that ends an unknown command whose inside starts at from, or
// -1. A quote without a partner opens no quoted value; nor does one whose partner is on another
// line if the line has a `}` of its own: a typing slip must not swallow the directives of the
// following lines.
func (e *ends) next(from int) int {
	before, _ := slices.BinarySearch(e.quotes, from)
	outside := after(e.byParity[before&1], from)
	plain := outside
	if other := after(e.byParity[before&1^1], from); other >= 0 && (plain < 0 || other < plain) {
		plain = other
	}
	if outside == plain || plain < 0 {
		return outside
	}
	if outside < 0 {
		if (len(e.quotes)-before)&1 == 1 && plain < e.lastQuote {
			if tail := after(e.byParity[before&1^1], e.lastQuote); tail >= 0 && !e.newlineIn(from, tail) {
				return tail
			}
		}
		return plain
	}
	if e.newlineIn(from, outside) && !e.newlineIn(from, plain) {
		return plain
	}
	return outside
}

// after returns the first of sorted places that is at least from, or -1.
func after(places []int, from int) int {
	i, _ := slices.BinarySearch(places, from)
	if i == len(places) {
		return -1
	}
	return places[i]
}

func (e *ends) newlineIn(from, to int) bool {
	nl := after(e.newlines, from)
	return nl >= 0 && nl < to
}
