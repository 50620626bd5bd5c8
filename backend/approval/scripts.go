package approval

import "strings"

// awkRisks accepts an awk program that only computes: everything that can run, read or write more
// uses one of a few words and characters.
func awkRisks(p *part) (out []finding) {
	program := -1
	for i := 0; i < len(p.args); i++ {
		a := p.args[i]
		switch {
		case !a.literal:
		case a.text == "-F" || a.text == "-v":
			i++
			continue
		case len(a.text) > 2 && (strings.HasPrefix(a.text, "-F") || strings.HasPrefix(a.text, "-v")):
			continue
		case len(a.text) > 1 && a.text[0] == '-':
			out = append(out, finding{i, RiskRuns, a.text + " can take a program from elsewhere"})
			continue
		}
		if program < 0 {
			program = i
		}
	}
	if program < 0 {
		return append(out, finding{nothingCovers, RiskRuns, "there is no program for awk"})
	}
	text := p.args[program]
	rest := strings.ReplaceAll(text.text, "||", "")
	if !text.literal || strings.ContainsAny(rest, "|>@") || strings.Contains(rest, "system") || strings.Contains(rest, "getline") ||
		strings.Contains(rest, "ARGV") || strings.Contains(rest, "ARGC") || strings.Contains(rest, "SYMTAB") {
		out = append(out, finding{program, RiskRuns, "the program of awk can run or write something"})
	}
	return out
}

// sedRisks takes scripts of commands that only print and change text.
func sedRisks(p *part) (out []finding) {
	scripts, operands := 0, []int{}
	for i := 0; i < len(p.args); i++ {
		a := p.args[i]
		name, value, has := strings.Cut(a.text, "=")
		switch {
		case !a.literal || len(a.text) < 2 || a.text[0] != '-':
			operands = append(operands, i)
		case a.text == "-e" || a.text == "--expression":
			i++
			if i >= len(p.args) || !p.args[i].literal || !plainSed(p.args[i].text) {
				out = append(out, finding{min(i, len(p.args)-1), RiskRuns, "the script of sed can run or write something"})
			}
			scripts++
		case name == "--expression" && has:
			if !plainSed(value) {
				out = append(out, finding{i, RiskRuns, "the script of sed can run or write something"})
			}
			scripts++
		case strings.Trim(a.text[1:], "nErsuz") == "", a.text == "--quiet", a.text == "--silent", a.text == "--regexp-extended", a.text == "--posix", a.text == "--sandbox", a.text == "--version":
		default:
			out = append(out, finding{i, RiskWrites, a.text + " writes files or takes a script from elsewhere"})
			if !strings.HasPrefix(a.text, "-i") && !strings.HasPrefix(a.text, "--i") {
				scripts++
			}
		}
	}
	if scripts > 0 || len(operands) == 0 {
		return out
	}
	if a := p.args[operands[0]]; !a.literal || !plainSed(a.text) {
		out = append(out, finding{operands[0], RiskRuns, "the script of sed can run or write something"})
	}
	return out
}

// plainSed reports whether a script holds only commands that print and change
// text. It knows less than sed does, on purpose.
func plainSed(s string) bool {
	r := &reader{s: s}
	for {
		r.skip(" \t\n;")
		if r.done() {
			return true
		}
		if !r.address() {
			return false
		}
		c := r.next()
		switch c {
		case '{', '}', 'p', 'P', 'd', 'D', 'q', '=', 'n', 'N', 'g', 'G', 'h', 'H', 'x', 'l':
		case 's', 'y':
			d := r.next()
			if d == 0 || d == '\\' || d == '\n' || d == '[' || d == ';' || d == ' ' || !r.until(d, true) || !r.until(d, false) {
				return false
			}
			if c == 's' {
				r.skip("gpiIM0123456789")
			}
		default:
			return false
		}
		r.skip(" \t")
		if c != '{' && c != '}' && !r.done() && !strings.ContainsRune(";\n}", rune(r.peek())) {
			return false
		}
	}
}

// reader reads a script.
type reader struct {
	s  string
	at int
}

func (r *reader) done() bool { return r.at >= len(r.s) }

func (r *reader) peek() byte {
	if r.done() {
		return 0
	}
	return r.s[r.at]
}

func (r *reader) next() byte {
	c := r.peek()
	r.at++
	return c
}

func (r *reader) skip(set string) {
	for !r.done() && strings.IndexByte(set, r.s[r.at]) >= 0 {
		r.at++
	}
}

// until skips past the delimiter d. In an expression a bracket that contains the delimiter is
// refused: versions of sed differ there.
func (r *reader) until(d byte, expression bool) bool {
	for !r.done() {
		c := r.next()
		switch {
		case c == '\\':
			r.at++
		case c == d:
			return true
		case c == '[' && expression:
			end := strings.IndexByte(r.s[min(r.at+1, len(r.s)):], ']')
			stop := strings.IndexByte(r.s[min(r.at, len(r.s)):], d)
			if end < 0 || stop >= 0 && stop < end+1 {
				return false
			}
		case c == '\n':
			return false
		}
	}
	return false
}

// address skips the line addresses.
func (r *reader) address() bool {
	for n := 0; n < 2; n++ {
		switch c := r.peek(); {
		case c >= '0' && c <= '9', c == '$', n == 1 && (c == '+' || c == '~'):
			r.at++
			r.skip("0123456789")
		case c == '/':
			r.at++
			if !r.until('/', true) {
				return false
			}
			r.skip("IM")
		case n == 1:
			return false
		default:
			n = 2
			continue
		}
		r.skip(" \t")
		if n == 0 && r.peek() == ',' {
			r.at++
			r.skip(" \t")
			continue
		}
		if n == 0 && r.peek() == '~' {
			r.at++
			r.skip("0123456789 ")
		}
		break
	}
	r.skip(" \t")
	if r.peek() == '!' {
		r.at++
		r.skip(" \t")
	}
	return true
}
