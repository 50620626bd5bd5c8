// Package macro is the preprocessor: a table of macros, the directives
// `@{define ...}`, `@{ifdef ...}`, `@{if ...}`, the `#define` lines of a
// prompt, and the replacement of `{{NAME}}` (SPEC 2).
//
// It is pure text in, text out: it reads no files, knows no references and never stops; problems
// become Warnings and the text continues. assemble calls it for rules and files, prompt for
// prompts, cli for `mutsumi preprocess`. Its time is linear in the text.
package macro

import (
	"fmt"
	"strings"
)

// Warning is something that a person should know about; it never stops anything (SPEC 2.2). Line
// counts from 1; 0 is the whole text. File is from Options.
type Warning struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
	Text string `json:"text"`
	// About is the path of the reference that could not be followed, as it was
	// written, "" where the warning is about none. Outside: the path is outside
	// the allowed folders.
	About   string `json:"about,omitempty"`
	Outside bool   `json:"outside,omitempty"`
}

func (w Warning) String() string {
	switch {
	case w.Line == 0 && w.File == "":
		return w.Text
	case w.Line == 0:
		return w.File + ": " + w.Text
	}
	if w.File == "" {
		return fmt.Sprintf("line %d: %s", w.Line, w.Text)
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text)
}

// Options describes the text.
type Options struct {
	File   string // names the text in warnings; "" for a text without a file
	Prompt bool   // `#define NAME value` lines count (SPEC 2.3); in files they are C
}

// Result is a text with its directives carried out.
type Result struct {
	Text     string
	Warnings []Warning
	Defined  []string // names defined in active branches, in order, repeats included
}

// Process carries out the directives of text and, in a prompt, its `#define`
// lines. Definitions in active branches go into t. `{{NAME}}` is left alone:
// see Expand, which comes after references were found.
func Process(text string, t *Table, opt Options) Result {
	if !strings.Contains(text, "@{") && !(opt.Prompt && strings.Contains(text, defineWord)) {
		return Result{Text: text}
	}
	p := &processor{text: text, table: t, opt: opt, line: 1}
	p.out.Grow(len(text))
	p.run()
	return Result{Text: p.out.String(), Warnings: p.warnings, Defined: p.defined}
}

const defineWord = "#define"

// processor walks over one text once, from left to right.
type processor struct {
	text     string
	pos      int
	line     int // of counted
	counted  int // newlines before this place are in line
	table    *Table
	opt      Options
	out      strings.Builder
	blocks   []block
	fence    string // the code fence that is open, "" outside
	ends     *ends
	patterns patterns
	warnings []Warning
	defined  []string
}

// block is an open conditional.
type block struct {
	line   int
	outer  bool // what surrounds it is active
	truth  bool // its condition held
	active bool // the text here is kept
	inElse bool
}

func (p *processor) active() bool {
	return len(p.blocks) == 0 || p.blocks[len(p.blocks)-1].active
}

func (p *processor) run() {
	lineStart, next := true, -1
	for p.pos < len(p.text) {
		if lineStart && p.opt.Prompt && p.active() && p.promptLine() {
			continue // still at the start of a line
		}
		lineStart = false
		if next < p.pos { // found once for all the lines before it
			next = len(p.text)
			if n := strings.Index(p.text[p.pos:], "@{"); n >= 0 {
				next = p.pos + n
			}
		}
		if p.opt.Prompt {
			if nl := strings.IndexByte(p.text[p.pos:next], '\n'); nl >= 0 {
				p.copyTo(p.pos + nl + 1)
				lineStart = true
				continue
			}
		}
		p.copyTo(next)
		if next < len(p.text) {
			lineStart = p.command()
		}
	}
	for _, b := range p.blocks {
		p.warnAt(b.line, "Unclosed conditional block.")
	}
}

// copyTo copies the text up to end, if it is active, and moves there.
func (p *processor) copyTo(end int) {
	if p.active() {
		p.out.WriteString(p.text[p.pos:end])
	}
	p.pos = end
}

func (p *processor) warnAt(line int, text string) {
	p.warnings = append(p.warnings, Warning{File: p.opt.File, Line: line, Text: text})
}

func (p *processor) warn(format string, args ...any) {
	p.warnAt(p.lineNow(), fmt.Sprintf(format, args...))
}

func (p *processor) lineNow() int {
	p.line += strings.Count(p.text[p.counted:p.pos], "\n")
	p.counted = p.pos
	return p.line
}

// promptLine handles a line of a prompt that is a `#define` or a code fence.
// It reports true when it consumed a whole `#define` line.
func (p *processor) promptLine() bool {
	line := p.text[p.pos:]
	next := len(p.text)
	if nl := strings.IndexByte(line, '\n'); nl >= 0 {
		line, next = line[:nl], p.pos+nl+1
	}
	if f := fenceOf(line); f != "" {
		switch {
		case p.fence == "":
			p.fence = f
		case f[0] == p.fence[0] && len(f) >= len(p.fence) && strings.TrimSpace(strings.TrimLeft(line, " "+f[:1])) == "":
			p.fence = ""
		}
		return false
	}
	if p.fence != "" {
		return false
	}
	name, value, ok := parseDefine(line)
	if !ok {
		return false
	}
	p.define(name, value)
	p.pos = next
	return true
}

// parseDefine reads `#define NAME value`; the value is the rest, trimmed.
func parseDefine(line string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(line, defineWord)
	if !ok || rest == "" || !isSpace(rest[0]) {
		return "", "", false
	}
	rest = strings.TrimLeft(rest, " \t")
	n := nameLen(rest)
	if n == 0 || n < len(rest) && !isSpace(rest[n]) {
		return "", "", false
	}
	return rest[:n], strings.TrimSpace(rest[n:]), true
}

// fenceOf returns the run of backticks or tildes of a Markdown code fence.
func fenceOf(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || len(s) < 3 || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n < 3 || s[0] == '`' && strings.Contains(s[n:], "`") {
		return ""
	}
	return s[:n]
}

func (p *processor) define(name, value string) {
	p.table.Define(name, value)
	p.defined = append(p.defined, name)
}

// Expand replaces every `{{NAME}}` whose macro is defined; others stay unchanged, and values are
// not expanded again (SPEC 2.4).
func Expand(text string, t *Table) string {
	at := strings.Index(text, "{{")
	if at < 0 || t.Len() == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for at < len(text) {
		n := strings.Index(text[at:], "{{")
		if n < 0 {
			break
		}
		at += n
		name := text[at+2:]
		name = name[:nameLen(name)]
		end := at + 2 + len(name)
		value, ok := t.Lookup(name)
		if name == "" || !ok || !strings.HasPrefix(text[end:], "}}") {
			at++ // `{{{NAME}}` holds `{{NAME}}`
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(value)
		at = end + 2
		done = at
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}
