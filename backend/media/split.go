package media

import "strings"

// Piece is a part of a prompt: text, or an image link.
type Piece struct {
	Text   string // as it is in the prompt, for a link too: ![alt](target)
	Image  bool
	Alt    string
	Target string // without <>, title and backslashes
}

// Split cuts a prompt into text and image links, in order; the pieces' Text
// joined is the prompt. A link is `![alt](target)` in one line of target:
// `alt` ends at the first `]`, parentheses in the target balance or are
// escaped, `<target>` may hold any, and a title in quotes may follow. Where
// parentheses do not balance, the first `)` ends it. It takes linear time.
func Split(text string) []Piece {
	if !strings.Contains(text, "](") {
		if text == "" {
			return nil
		}
		return []Piece{{Text: text}}
	}
	var out []Piece
	done := 0
	s := &scan{text: text, parens: matchParens(text), lineEnd: -1, angle: -1, round: -1}
	bracket := -1 // the first "]" at or after the place we are at
	for i := 0; i < len(text); {
		at := strings.Index(text[i:], "![")
		if at < 0 {
			break
		}
		at += i
		if bracket < at+2 {
			next := strings.IndexByte(text[at+2:], ']')
			if next < 0 {
				break
			}
			bracket = at + 2 + next
		}
		i = at + 2
		if bracket+1 >= len(text) || text[bracket+1] != '(' {
			continue
		}
		open := bracket + 1
		end, target := s.target(open)
		if end < 0 || target == "" {
			continue
		}
		if at > done {
			out = append(out, Piece{Text: text[done:at]})
		}
		out = append(out, Piece{Text: text[at : end+1], Image: true, Alt: text[at+2 : bracket], Target: target})
		done, i = end+1, end+1
	}
	if done < len(text) {
		out = append(out, Piece{Text: text[done:]})
	}
	return out
}

// paren is where the parenthesis of a link begins and ends.
type paren struct{ open, balanced, first int } // -1: not in this line

// matchParens finds the end of every "](" in one pass, in order. Lines are
// apart: a target holds no line break.
func matchParens(text string) []paren {
	var out []paren
	var stack []int // open parentheses: their places in out, -1 if not of a link
	waiting := 0    // links from here on have seen no ")" yet
	escaped := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if escaped {
			escaped = false
			if c == '(' || c == ')' || c == '\\' {
				continue
			}
		}
		switch c {
		case '\\':
			escaped = true
		case '\n':
			stack, waiting = stack[:0], len(out)
		case '(':
			at := -1
			if i > 0 && text[i-1] == ']' {
				at = len(out)
				out = append(out, paren{i, -1, -1})
			}
			stack = append(stack, at)
		case ')':
			for ; waiting < len(out); waiting++ {
				out[waiting].first = i
			}
			if n := len(stack); n > 0 {
				if at := stack[n-1]; at >= 0 {
					out[at].balanced = i
				}
				stack = stack[:n-1]
			}
		}
	}
	return out
}

// scan remembers where the next characters of a kind are, so that looking for
// them from every link of a hostile text stays linear.
type scan struct {
	text                  string
	parens                []paren // passed ones are cut off
	lineEnd, angle, round int
}

// next gives the first c at or after from; cached is where the last search ended.
func (s *scan) next(c byte, from int, cached *int) int {
	if *cached < from {
		if i := strings.IndexByte(s.text[from:], c); i >= 0 {
			*cached = from + i
		} else {
			*cached = len(s.text)
		}
	}
	return *cached
}

// target reads the text after the parenthesis at open, and returns the place of the closing one, -1
// if there is none.
func (s *scan) target(open int) (int, string) {
	for len(s.parens) > 0 && s.parens[0].open < open {
		s.parens = s.parens[1:]
	}
	p := paren{open, -1, -1}
	if len(s.parens) > 0 && s.parens[0].open == open {
		p = s.parens[0]
	}
	if strings.HasPrefix(s.text[open+1:], "<") {
		lineEnd := s.next('\n', open, &s.lineEnd)
		if gt := s.next('>', open+2, &s.angle); gt < lineEnd {
			end := s.next(')', gt+1, &s.round)
			if end < lineEnd && isTitle(s.text[gt+1:end]) {
				return end, s.text[open+2 : gt]
			}
			if end := p.balanced; end > gt && isTitle(s.text[gt+1:end]) {
				return end, s.text[open+2 : gt]
			}
		}
	}
	end := p.balanced
	if end < 0 {
		end = p.first
	}
	if end < 0 {
		return -1, ""
	}
	return end, unescape(withoutTitle(strings.TrimSpace(s.text[open+1 : end])))
}

// isTitle reports whether s is nothing or a title in quotes.
func isTitle(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0]
}

// withoutTitle takes a title off: `a.png "The plan"`.
func withoutTitle(s string) string {
	if len(s) < 4 {
		return s
	}
	quote := s[len(s)-1]
	if quote != '"' && quote != '\'' {
		return s
	}
	if start := strings.Index(s, " "+string(quote)); start > 0 && start+2 < len(s) {
		return strings.TrimSpace(s[:start])
	}
	return s
}

// unescape takes the backslash off parentheses, brackets and backslashes; it
// stays before anything else, as in C:\images\a.png.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("()[]", s[i+1]) >= 0 {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
