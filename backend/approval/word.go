package approval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builder collects what is known about a word.
type builder struct {
	w      *walker
	out    word
	value  strings.Builder
	prefix strings.Builder
	open   bool // nothing unknown so far
	brace  bool
	comma  bool

	values []string // the possible values so far; nil if unknown
	meta   bool     // a sign of a pattern is in quotes
}

// word reads a word and walks the substitutions in it.
func (w *walker) word(x *syntax.Word) word {
	if x == nil {
		return word{literal: true}
	}
	if x.Lit() == "[" { // the program, not a pattern
		return word{text: "[", prefix: "[", literal: true}
	}
	b := &builder{w: w, open: true, values: []string{""}}
	for i, p := range x.Parts {
		b.part(p, i == 0, false)
	}
	b.out.names = b.out.names && len(x.Parts) == 1
	if b.brace && b.comma {
		b.unclear(false)
		if i := strings.IndexByte(b.prefix.String(), '{'); i >= 0 {
			cut := b.prefix.String()[:i]
			b.prefix.Reset()
			b.prefix.WriteString(cut)
		}
	}
	b.out.literal = b.open
	b.out.text, b.out.prefix = b.value.String(), b.prefix.String()
	if !b.out.literal {
		b.out.text = w.source(x)
		if !(b.out.glob && b.meta) {
			b.out.values = b.values
		}
	}
	return b.out
}

// inDouble walks the parts of a text in which only $ and ` mean something.
func (w *walker) inDouble(parts []syntax.WordPart) {
	b := &builder{w: w, open: true, values: []string{""}}
	for _, p := range parts {
		b.part(p, false, true)
	}
}

func (b *builder) lit(s string) {
	b.value.WriteString(s)
	for i := range b.values {
		if b.values[i] += s; len(b.values[i]) > maxPath {
			b.values = nil
			break
		}
	}
	if b.open {
		b.prefix.WriteString(s)
	}
}

// quoted notes text in which no sign has a meaning.
func (b *builder) quoted(s string) {
	b.meta = b.meta || strings.ContainsAny(s, `*?[\`)
	b.lit(s)
}

// unclear records a part whose value is not known; in quotes it stays one word.
func (b *builder) unclear(quoted bool) {
	b.open, b.values = false, nil
	if !quoted {
		b.out.many = true
	}
}

func (b *builder) refuse(n syntax.Node, why string) {
	b.unclear(false)
	b.out.dynamic = true
	b.w.unknown(b.w.source(n), why)
}

func (b *builder) part(p syntax.WordPart, first, quoted bool) {
	if b.w.shallow {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			b.out.dynamic = true
			b.unclear(false)
			return
		}
	}
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			b.quoted(unescapeDouble(p.Value))
		} else {
			b.plain(p.Value, first)
		}
	case *syntax.SglQuoted:
		if p.Dollar {
			b.refuse(p, "a text in $'...', which shells read differently")
			return
		}
		b.quoted(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar {
			b.refuse(p, `a text in $"...", which is translated`)
			return
		}
		for _, q := range p.Parts {
			b.part(q, false, true)
		}
	case *syntax.ParamExp:
		b.param(p, quoted)
	case *syntax.CmdSubst:
		b.subst(p, quoted)
	case *syntax.ArithmExp:
		if !numbersOnly(p.X) {
			b.refuse(p, "arithmetic, which can run commands that stand in variables")
			return
		}
		b.number()
		b.out.number = b.out.number && positive(p.X)
	case *syntax.ProcSubst:
		b.refuse(p, "a process substitution")
		in := b.w.deeper()
		in.inSubst = true
		in.stmts(p.Stmts)
	default:
		b.refuse(p, "a pattern or expansion that shells read differently")
	}
}

// number notes a number that is not known. A word that begins with one is no
// option.
func (b *builder) number() {
	b.out.number = b.out.number || b.open && b.value.Len() == 0
	b.open, b.values = false, nil
}

// plain reads an unquoted part.
func (b *builder) plain(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		b.unclear(true)
		b.out.tilde = true
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			if i < len(s) && s[i] != '\n' {
				b.quoted(s[i : i+1])
			}
		case '*', '?', '[':
			b.open = false
			b.out.many, b.out.glob = true, true
			b.lit(s[i : i+1])
		case '{':
			b.brace = true
			b.lit("{")
		case ',':
			b.comma = true
			b.lit(",")
		case '.':
			if strings.HasPrefix(s[i:], "..") {
				b.comma = true
			}
			b.lit(".")
		default:
			b.lit(s[i : i+1])
		}
	}
}

// unescapeDouble takes the backslashes away that mean something in double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// param accepts $NAME, ${NAME}, ${#NAME} and the forms with a text for a missing or trimmed value;
// others assign, or evaluate the content of a variable.
func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	if name == "" || p.Excl || p.Width || p.IsSet || p.Flags != nil || p.NestedParam != nil || p.Index != nil || p.Slice != nil ||
		p.Names != 0 || p.Modifiers != nil || p.Split != syntax.OptUnset || p.GlobSubst != syntax.OptUnset || p.RcExpand != syntax.OptUnset {
		b.refuse(p, "an expansion that is more than a variable's value")
		return
	}
	if looseBracket(b.w.source(p)) {
		b.refuse(p, "a bracket in an expansion, behind which a command may stand")
		return
	}
	if quoted && (p.Exp != nil && singleQuoted(p.Exp.Word) || p.Repl != nil && (singleQuoted(p.Repl.Orig) || singleQuoted(p.Repl.With))) {
		b.refuse(p, "quotes in an expansion, which shells read differently")
		return
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			b.w.deeper().word(p.Exp.Word)
		default:
			b.refuse(p, "an expansion that sets or transforms a variable")
			return
		}
	}
	if p.Repl != nil {
		b.w.deeper().word(p.Repl.Orig)
		b.w.deeper().word(p.Repl.With)
	}
	switch {
	case p.Length, p.Exp == nil && p.Repl == nil && (name == "?" || name == "#" || name == "$"):
		b.number()
	default:
		if (name == "HOME" || name == "OLDPWD") && b.value.Len() == 0 {
			b.out.tilde = true
		}
		b.out.dynamic = true
		values := b.values
		b.unclear(quoted && name != "@")
		if p.Exp == nil && p.Repl == nil {
			b.variable(name, values, quoted)
		}
	}
}

// looseBracket reports whether a text contains an opening bracket that does not belong to $(: after
// < and > it begins a command.
func looseBracket(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] == '(' && s[i-1] != '$' && s[i-1] != '(' {
			return true
		}
	}
	return false
}

// singleQuoted reports whether the parser read a part of a word as single-quoted. Inside double
// quotes and here-documents single quotes mean nothing to shells, which expand what is between
// them.
func singleQuoted(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.SglQuoted:
			found = true
		case *syntax.CmdSubst, *syntax.ProcSubst: // commands of their own
			return false
		}
		return true
	})
	return found
}

// variable appends the possible values of a variable to those of the word so far.
func (b *builder) variable(name string, values []string, quoted bool) {
	v := b.w.vars[name]
	if name == "PWD" {
		v = variable{texts: b.w.bases()}
	}
	if v.unknown || len(v.texts) == 0 || name == "_" { // _ is the last argument of the command before
		return
	}
	for _, t := range v.texts {
		if !quoted && strings.ContainsAny(t, " \t\n\\") || !v.glob && strings.ContainsAny(t, `*?[\`) {
			return // the shell splits it, or compares it with the names of files
		}
	}
	b.values = cross(values, v.texts)
	b.out.glob = b.out.glob || v.glob
	b.out.split = b.out.split || v.glob && !quoted
}

func (b *builder) subst(p *syntax.CmdSubst, quoted bool) {
	src := b.w.source(p)
	if p.TempFile || p.ReplyVar || p.Backquotes && (strings.Contains(src, "\\") || strings.Count(src, "`") > 2 || quoted && strings.Contains(src, `"`)) {
		b.refuse(p, "a substitution that shells read differently")
		return
	}
	b.out.dynamic = true
	b.unclear(quoted)
	b.out.names = len(p.Stmts) == 1 && b.w.listsNames(p.Stmts[0], nil)
	b.w.add(&part{kind: KindSubstitution, text: src, neutral: true, note: "its output becomes part of the command"})
	in := b.w.deeper().subshell()
	in.inSubst = true
	in.stmts(p.Stmts)
}

// numbersOnly reports whether an expression holds nothing but numbers.
func numbersOnly(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Add, syntax.Sub, syntax.Mul, syntax.Quo, syntax.Rem, syntax.Pow:
			return numbersOnly(x.X) && numbersOnly(x.Y)
		}
		return false
	case *syntax.ParenArithm:
		return numbersOnly(x.X)
	case *syntax.Word:
		s := x.Lit()
		return s != "" && strings.Trim(s, "0123456789") == ""
	}
	return false
}

// positive reports whether an expression of numbers cannot be less than zero.
func positive(x syntax.ArithmExpr) bool {
	found := false
	syntax.Walk(x, func(n syntax.Node) bool {
		b, ok := n.(*syntax.BinaryArithm)
		found = found || ok && b.Op == syntax.Sub
		return true
	})
	return !found
}

// test accepts [[ ]] with operators that compare texts and inspect files.
func (w *walker) test(c *syntax.TestClause) {
	w.add(&part{kind: KindControl, text: w.source(c), neutral: true, note: "a test"})
	if !w.deeper().testExpr(c.X) {
		w.unknown(w.source(c), "a test that can evaluate what stands in variables")
	}
}

func (w *walker) testExpr(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest, syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsReMatch:
			return w.testExpr(x.X) && w.testExpr(x.Y)
		}
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsNot, syntax.TsEmpStr, syntax.TsNempStr, syntax.TsExists, syntax.TsRegFile, syntax.TsDirect,
			syntax.TsSmbLink, syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty:
			return w.testExpr(x.X)
		}
	case *syntax.ParenTest:
		return w.testExpr(x.X)
	case *syntax.Word:
		w.word(x)
		return true
	}
	return false
}
