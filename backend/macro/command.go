package macro

import (
	"strings"

	"mutsumi/backend/clip"
)

// command handles the `@{` at pos. It reports whether the text continues at the
// start of a line.
func (p *processor) command() bool {
	c, end := parseCommand(p.text[p.pos+2:])
	if c.word == "" {
		if p.ends == nil {
			p.ends = findEnds(p.text)
		}
		close := p.ends.next(p.pos + 2)
		if close < 0 { // never closed: plain text, not a command
			p.copyTo(p.pos + 2)
			return false
		}
		p.warn("Invalid command syntax: %s", clip.Text(p.text[p.pos:close+1], 200))
		p.copyTo(close + 1)
		return false
	}
	p.carryOut(c)
	p.pos += 2 + end
	if rest := strings.TrimPrefix(p.text[p.pos:], "\r"); c.word == "define" && strings.HasPrefix(rest, "\n") {
		p.pos = len(p.text) - len(rest) + 1
		return true
	}
	return false
}

func (p *processor) carryOut(c command) {
	switch c.word {
	case "define":
		if p.active() {
			p.define(c.name, c.value)
		}
	case "ifdef", "ifndef":
		_, ok := p.table.Lookup(c.name)
		p.open(ok == (c.word == "ifdef"))
	case "if":
		p.open(p.active() && p.holds(c))
	case "else":
		if len(p.blocks) == 0 {
			p.warn("Unmatched else encountered.")
			return
		}
		b := &p.blocks[len(p.blocks)-1]
		if b.inElse {
			p.warn("Duplicate else encountered in the same conditional block.")
			return
		}
		b.inElse = true
		b.active = b.outer && !b.truth
	case "endif":
		if len(p.blocks) == 0 {
			p.warn("Unmatched endif encountered.")
			return
		}
		p.blocks = p.blocks[:len(p.blocks)-1]
	}
}

func (p *processor) open(truth bool) {
	outer := p.active()
	p.blocks = append(p.blocks, block{line: p.lineNow(), outer: outer, truth: truth, active: outer && truth})
}

// holds evaluates `@{if NAME OP VALUE}`.
func (p *processor) holds(c command) bool {
	left := p.value(c.name)
	right := c.value
	if c.other != "" {
		right = p.value(c.other)
	}
	switch c.op {
	case "IS":
		return left == right
	case "ISNT":
		return left != right
	case "CONTAINS":
		return strings.Contains(left, right)
	case "DOESNT_CONTAIN":
		return !strings.Contains(left, right)
	}
	matched, err := p.patterns.match(right, left)
	if err != nil {
		p.warn("Invalid regular expression %q: %v", right, err)
	}
	return matched == (c.op == "MATCHES")
}

// value is the value of a macro; an undefined one is "".
func (p *processor) value(name string) string {
	v, ok := p.table.Lookup(name)
	if !ok {
		p.warn("Undefined macro %s counts as \"\".", name)
	}
	return v
}

// command is a directive that was understood.
type command struct {
	word  string // define, ifdef, ifndef, if, else, endif
	name  string
	op    string
	value string // of a quoted value
	other string // the macro on the right side, if that is not a quoted value
}

var operators = []string{"IS", "ISNT", "CONTAINS", "DOESNT_CONTAIN", "MATCHES", "DOESNT_MATCH"}

// parseCommand reads the text after `@{` and returns the command and its length including the `}`;
// word is "" if it is not a command.
func parseCommand(s string) (command, int) {
	r := reader{s: s}
	c := command{word: r.name()}
	switch c.word {
	case "else", "endif":
	case "ifdef", "ifndef":
		r.space(true)
		c.name = r.name()
		r.need(c.name != "")
	case "define":
		r.space(true)
		c.name = r.name()
		r.need(c.name != "")
		r.space(false)
		r.need(r.eat(","))
		r.space(false)
		c.value = r.quoted()
	case "if":
		r.space(true)
		c.name = r.name()
		r.need(c.name != "")
		r.space(true)
		word := r.name()
		for _, op := range operators {
			if op == word {
				c.op = op
			}
		}
		r.need(c.op != "")
		r.space(true)
		if c.other = r.name(); c.other == "" {
			c.value = r.quoted()
		}
	default:
		return command{}, 0
	}
	r.space(false)
	r.need(r.eat("}"))
	if r.bad {
		return command{}, 0
	}
	return c, r.at
}

// reader takes a command apart; after the first thing that does not fit, bad
// is set and nothing more is taken.
type reader struct {
	s   string
	at  int
	bad bool
}

func (r *reader) need(ok bool) { r.bad = r.bad || !ok }

func (r *reader) name() string {
	if r.bad {
		return ""
	}
	n := nameLen(r.s[r.at:])
	r.at += n
	return r.s[r.at-n : r.at]
}

func (r *reader) space(needed bool) {
	from := r.at
	for !r.bad && r.at < len(r.s) && isSpace(r.s[r.at]) {
		r.at++
	}
	r.need(!needed || r.at > from)
}

func (r *reader) eat(lit string) bool {
	if r.bad || !strings.HasPrefix(r.s[r.at:], lit) {
		return false
	}
	r.at += len(lit)
	return true
}

// maxValue limits a quoted value, so that a quote that never closes has a fixed cost.
const maxValue = 64 << 10

// quoted reads "..."; `\"` is a quote in it, `\\` a backslash, and every other
// backslash itself.
func (r *reader) quoted() string {
	if !r.eat(`"`) {
		r.need(false)
		return ""
	}
	rest := r.s[r.at:min(len(r.s), r.at+maxValue)]
	n, escaped := 0, false
	for ; n < len(rest) && rest[n] != '"'; n++ {
		if rest[n] == '\\' && n+1 < len(rest) && (rest[n+1] == '"' || rest[n+1] == '\\') {
			escaped = true
			n++
		}
	}
	if n >= len(rest) {
		r.need(false)
		return ""
	}
	r.at += n + 1
	if escaped {
		return unescape.Replace(rest[:n])
	}
	return rest[:n]
}

var unescape = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
