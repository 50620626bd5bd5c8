package builtin

import "strings"

// lexis describes the comments and strings of a language.
type lexis struct {
	line     []string // begin comments that end with the line
	block    bool     // /* */
	nested   bool     // block comments nest
	quotes   string   // characters that open strings with backslash escapes, ended by the line
	triple   bool     // """ and, if ' is a quote, ''' open strings over many lines
	template bool     // `...${...}...`
	regex    bool     // /.../ may be a literal
	rawRust  bool     // r#"..."#, and ' may be a lifetime
	rawC     bool     // R"x(...)x"
}

var (
	pythonSyntax = lexis{line: []string{"#"}, quotes: `"'`, triple: true}
	scriptSyntax = lexis{line: []string{"//"}, block: true, quotes: `"'`, template: true, regex: true}
	rustSyntax   = lexis{line: []string{"//"}, block: true, nested: true, quotes: `"`, rawRust: true}
	javaSyntax   = lexis{line: []string{"//"}, block: true, quotes: `"'`, triple: true}
	cSyntax      = lexis{line: []string{"//"}, block: true, quotes: `"'`, rawC: true}
)

// blank replaces comments and the content of strings by spaces, so that braces and names in them
// are not taken for code. Lines stay where they are. Its time is linear in any text.
func blank(src string, syn lexis) string {
	b := blanker{src: src, out: []byte(src), syn: syn}
	for b.pos < len(src) {
		b.step()
	}
	return string(b.out)
}

type blanker struct {
	src      string
	out      []byte
	pos      int
	syn      lexis
	last     byte  // the last character of code that is not space
	word     int   // where the word that ends with last begins
	division int   // up to here slashes divide: no regular expression ends
	open     []int // template strings around: depth of braces in each ${
}

func (b *blanker) step() {
	rest := b.src[b.pos:]
	c := rest[0]
	for _, mark := range b.syn.line {
		if strings.HasPrefix(rest, mark) {
			b.wipe(closing(rest, 0, "\n"))
			return
		}
	}
	switch {
	case b.syn.block && strings.HasPrefix(rest, "/*"):
		b.wipe(b.comment(rest))
	case b.syn.rawC && strings.HasPrefix(rest, `R"`) && !wordByte(b.last):
		b.wipe(rawC(rest))
	case b.syn.rawRust && (c == 'r' || c == 'b') && !b.inWord() && rawRust(rest) > 0:
		b.wipe(rawRust(rest))
	case b.syn.rawRust && c == '\'':
		if n := lifetime(rest); n > 1 {
			b.inside(1, n-1, 1)
		} else {
			b.code()
		}
	case b.syn.triple && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`) && strings.Contains(b.syn.quotes, "'")):
		b.inside(3, closing(rest, 3, rest[:3]), 3)
	case strings.IndexByte(b.syn.quotes, c) >= 0:
		end := 1
		for end < len(rest) && rest[end] != c && (rest[end] != '\n' || b.syn.rawRust) {
			if rest[end] == '\\' && end+1 < len(rest) {
				end++
			}
			end++
		}
		b.inside(1, min(end, len(rest)), 1)
	case b.syn.template && c == '`':
		b.template(1)
	case b.syn.template && len(b.open) > 0 && c == '{':
		b.open[len(b.open)-1]++
		b.code()
	case b.syn.template && len(b.open) > 0 && c == '}':
		if b.open[len(b.open)-1]--; b.open[len(b.open)-1] < 0 {
			b.open = b.open[:len(b.open)-1]
			b.template(1)
			return
		}
		b.code()
	case b.syn.regex && c == '/' && b.pos >= b.division && b.regexHere():
		n, ok := regexEnd(rest)
		if !ok {
			b.division = b.pos + n
			b.code()
			return
		}
		b.wipe(n)
		b.last = '/'
	default:
		b.code()
	}
}

// code takes one character as it is.
func (b *blanker) code() {
	if c := b.src[b.pos]; c > ' ' {
		if !wordByte(c) || b.pos == 0 || !wordByte(b.src[b.pos-1]) {
			b.word = b.pos
		}
		b.last = c
	}
	b.pos++
}

// wipe blanks n bytes.
func (b *blanker) wipe(n int) {
	for i := b.pos; i < b.pos+n; i++ {
		if b.out[i] != '\n' {
			b.out[i] = ' '
		}
	}
	b.pos += n
}

// inside blanks a string between its delimiters: open bytes, up to end, close bytes.
func (b *blanker) inside(open, end, close int) {
	rest := len(b.src) - b.pos
	b.pos += open
	b.wipe(end - open)
	b.pos += min(close, rest-end)
	b.last, b.word = '"', b.pos
}

// template blanks up to the closing backtick or the next ${, whose content is
// code again.
func (b *blanker) template(skip int) {
	rest := b.src[b.pos:]
	for i := skip; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case rest[i] == '`':
			b.wipe(i + 1)
			b.last, b.word = '"', b.pos
			return
		case rest[i] == '$' && i+1 < len(rest) && rest[i+1] == '{':
			b.wipe(i + 2)
			b.open = append(b.open, 0)
			b.last = '('
			return
		}
	}
	b.wipe(len(rest))
}

func (b *blanker) comment(rest string) int {
	if !b.syn.nested {
		return min(len(rest), closing(rest, 2, "*/")+2)
	}
	depth := 0
	for i := 0; i+1 < len(rest); i++ {
		switch rest[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(rest)
}

func (b *blanker) inWord() bool { return b.pos > 0 && wordByte(b.src[b.pos-1]) }

// regexHere guesses whether a slash opens a regular expression: it does where
// a value is expected.
func (b *blanker) regexHere() bool {
	if b.last == 0 || strings.IndexByte("(,=:[!&|?{};+-*%<>~^", b.last) >= 0 {
		return true
	}
	switch word, _, _ := strings.Cut(b.src[b.word:b.pos], " "); strings.TrimSpace(word) {
	case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "await", "yield":
		return true
	}
	return false
}

// regexEnd is the length of the regular expression at the start of rest; false if there is none,
// and then how far that is known.
func regexEnd(rest string) (int, bool) {
	class := false
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\n':
			return i, false
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1, true
			}
		}
	}
	return len(rest), false
}

func rawC(rest string) int {
	open := strings.IndexByte(rest[:min(len(rest), 20)], '(')
	if open < 2 {
		return 2
	}
	end := ")" + rest[2:open] + `"`
	return min(len(rest), closing(rest, open, end)+len(end))
}

// rawRust is the length of a raw string at the start of rest, 0 if there is none.
func rawRust(rest string) int {
	i := 0
	if rest[i] == 'b' {
		i++
	}
	if i >= len(rest) || rest[i] != 'r' {
		return 0
	}
	i++
	hashes := 0
	for i < len(rest) && rest[i] == '#' {
		hashes++
		i++
	}
	if i >= len(rest) || rest[i] != '"' {
		return 0
	}
	end := `"` + strings.Repeat("#", hashes)
	return min(len(rest), closing(rest, i+1, end)+len(end))
}

// lifetime is the length of what a single quote starts in Rust: 'a' and '\n' are characters, 'a is
// a lifetime.
func lifetime(rest string) int {
	switch {
	case len(rest) > 2 && rest[1] == '\\':
		if end := strings.IndexByte(rest[2:min(len(rest), 14)], '\''); end >= 0 {
			return end + 3
		}
	case len(rest) > 2 && rest[2] == '\'':
		return 3
	}
	return 1
}

// closing is where mark is in s from index from on, or the end of s.
func closing(s string, from int, mark string) int {
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
