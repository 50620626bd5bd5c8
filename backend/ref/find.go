package ref

import "strings"

// Find returns the references of text in order. They do not overlap: text inside a reference is
// part of it. A `@[` that is never closed is text, and the search continues right after it.
func Find(text string) []Ref {
	var refs []Ref
	var s *scanner
	for at := 0; ; {
		n := strings.Index(text[at:], "@[")
		if n < 0 {
			return refs
		}
		start := at + n
		if s == nil {
			s = newScanner(text, start)
		}
		end := s.end(start + 2)
		if end < 0 {
			at = start + 2
			continue
		}
		r := Parse(text[start+2 : end])
		r.Start, r.End = start, end+1
		refs = append(refs, r)
		at = end + 1
	}
}

// scanner finds the `]` that belongs to a `@[`.
type scanner struct {
	text string
	// tags are the `[` that follow an `@`, in order, each with the `]` that
	// closes it on its line.
	tags []tag
	// budget bounds the steps spent on tool calls that never end: each is
	// walked to the end of the text, and a text may hold one every few bytes.
	budget int
}

// tag is a pair of brackets; close is -1 if there is no second one.
type tag struct{ open, close int }

func newScanner(text string, from int) *scanner {
	s := &scanner{text: text, budget: 4*len(text) + 256<<10}
	var stack []int // index in tags, -1 for another bracket
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\n':
			stack = stack[:0]
		case '[':
			if i > 0 && text[i-1] == '@' {
				stack = append(stack, len(s.tags))
				s.tags = append(s.tags, tag{i, -1})
			} else {
				stack = append(stack, -1)
			}
		case ']':
			if len(stack) == 0 {
				continue
			}
			if n := stack[len(stack)-1]; n >= 0 {
				s.tags[n].close = i
			}
			stack = stack[:len(stack)-1]
		}
	}
	return s
}

// partner returns the `]` of the `[` at open. Calls come in order.
func (s *scanner) partner(open int) int {
	for s.tags[0].open < open {
		s.tags = s.tags[1:]
	}
	return s.tags[0].close
}

// end returns the place of the `]` that closes the reference whose inside starts at from, or -1.
func (s *scanner) end(from int) int {
	paired := s.partner(from - 1)
	head := strings.TrimLeft(s.text[from:min(len(s.text), from+maxHead)], " \t\r\n")
	_, args, isTool := splitTool(head)
	if !isTool {
		return paired
	}
	if end := s.toolEnd(from); end >= 0 {
		return end
	}
	// Braces or quotes that do not fit together. What looks like JSON all the
	// same was meant as a call, and its problem is worth saying.
	inside := strings.TrimLeft(args[1:], " \t\r\n")
	if strings.HasPrefix(inside, `"`) || strings.HasPrefix(inside, "}") {
		return paired
	}
	return -1
}

// maxHead limits the length of a tool's name and the spaces around it.
const maxHead = 256

// toolEnd walks over `name{...}]` with an eye on JSON strings, in which
// brackets mean nothing. A string does not reach over the end of a line.
func (s *scanner) toolEnd(from int) int {
	brackets, braces := 0, 0
	text := s.text
	for i := from; i < len(text) && s.budget > 0; i++ {
		s.budget--
		switch text[i] {
		case '"':
			n, closed := stringLen(text[i:])
			s.budget -= n
			if !closed {
				return -1
			}
			i += n - 1
		case '{':
			braces++
		case '}':
			braces--
		case '[':
			brackets++
		case ']':
			if brackets > 0 {
				brackets--
				continue
			}
			if braces > 0 {
				return -1
			}
			s.budget += i - from // not wasted: the search continues after it
			return i
		}
	}
	return -1
}

// stringLen is the length of the JSON string at the start of s, quotes
// included, and whether it is closed on its line.
func stringLen(s string) (int, bool) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		case '\n':
			return i, false
		}
	}
	return len(s), false
}
