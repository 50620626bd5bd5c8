package approval

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// dialect is the grammar of the shell that runs a script.
type dialect int

const (
	bash  dialect = iota
	posix         // sh and dash: which shell sh is differs from system to system
)

// dialectOf returns the grammar of a shell's program.
func dialectOf(shell string) dialect {
	switch baseName(shell) {
	case "", "bash":
		return bash
	}
	return posix
}

// readScript parses a script. It refuses scripts that a shell could read differently from the
// parser; why then gives the reason.
func readScript(text string, d dialect) (file *syntax.File, why string) {
	if why := unreadable(text); why != "" {
		return nil, why
	}
	file, err := parseAs(text, syntax.LangBash)
	if err != nil {
		return nil, "the shell's grammar: " + strings.TrimPrefix(err.Error(), ":")
	}
	if d == posix {
		// dash reads [[, &> and += as words and operators of other meaning:
		// only a script that both grammars read alike is understood.
		other, err := parseAs(text, syntax.LangPOSIX)
		if err != nil || !reflect.DeepEqual(file, other) {
			return nil, "sh and bash read it differently"
		}
	}
	switch {
	case len(file.Stmts) == 0:
		return nil, "there is no command"
	case strings.HasSuffix(text, `\`):
		return file, "it ends in a backslash"
	case splitsToken(text):
		return file, "a line goes on in the middle of an operator"
	}
	return file, misread(file, text)
}

func parseAs(text string, lang syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
}

// splitsToken reports whether a line continues in the middle of an operator or
// expansion, like $\ and (...) on the next line: shells join them.
func splitsToken(text string) bool {
	const blank, signs = " \t\n", "$`(){}[]<>&|;!=+#'\"\\"
	for i := 1; i+2 < len(text); i++ {
		if text[i] != '\\' || text[i+1] != '\n' {
			continue
		}
		before, after := text[i-1], text[i+2]
		if strings.IndexByte(blank, before) < 0 && strings.IndexByte(blank, after) < 0 &&
			(strings.IndexByte(signs, before) >= 0 || strings.IndexByte(signs, after) >= 0) {
			return true
		}
	}
	return false
}

// misread finds places that the parser reads in another way than shells:
// it takes a backslash at the end of a comment for a continuation, and one in
// a text as input for a sign that this line does not end it; and in backquotes
// it begins a comment in the middle of a word.
func misread(file *syntax.File, text string) (why string) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			line, _, more := strings.Cut(from(text, n.Pos()), "\n")
			if more && strings.HasSuffix(line, `\`) {
				why = "a comment that ends in a backslash, behind which the next line is hidden"
			}
			before := text[:min(int(n.Pos().Offset()), len(text))]
			for strings.HasSuffix(before, "\\\n") {
				before = before[:len(before)-2]
			}
			if before != "" && !strings.ContainsAny(before[len(before)-1:], " \t\n;&|()<>`") {
				why = "a comment that begins in the middle of a word"
			}
		case *syntax.Redirect:
			if n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc || quotedEnd(n.Word) {
				return true
			}
			body := from(text, n.OpPos)
			if n.Hdoc != nil {
				body = body[:max(0, min(len(body), int(n.Hdoc.End().Offset())-int(n.OpPos.Offset())))]
			}
			if strings.Contains(body, "\\\n") {
				why = "a text as input with a backslash at the end of a line, whose end cannot be told for certain"
			}
		}
		return true
	})
	return why
}

// from returns the text that begins at a position.
func from(text string, at syntax.Pos) string {
	return text[min(int(at.Offset()), len(text)):]
}

// quotedEnd reports whether the end word of a text as input holds quotes: a
// backslash in the text is then only a backslash.
func quotedEnd(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}

// unreadable refuses text that a shell and a person may read in different ways.
func unreadable(s string) string {
	if len(s) > maxCommand {
		return "it is too long to be checked"
	}
	if !utf8.ValidString(s) {
		return "it holds bytes that are no text"
	}
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
		case unicode.IsControl(r):
			return fmt.Sprintf("it holds a control character (%U)", r)
		case unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) || r == '\uFFFD' || unicode.Is(unicode.Co, r):
			return fmt.Sprintf("it holds a character that cannot be seen (%U)", r)
		}
	}
	return ""
}
