package builtin

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// If ripgrep is installed it finds the files that may have a match, many times faster than opening
// each. Its output is only a hint: the walk decides which files count, and our own finder which
// lines match, so that the results are the same with and without it.

func hasRipgrep() bool {
	_, err := exec.LookPath("rg")
	return err == nil
}

// ripgrep starts it in a folder (absolute). The function returned waits for
// the candidates: paths with slashes, relative to the folder. It gives nil
// when ripgrep is not there or did not understand; then every file is one.
func (f *finder) ripgrep(ctx context.Context, dir string) func() map[string]bool {
	program, err := exec.LookPath("rg")
	if err != nil || !filepath.IsAbs(program) {
		return func() map[string]bool { return nil }
	}
	args := []string{
		"--no-config", "--files-with-matches", "--null", "--text", "--crlf", "--hidden", "--glob=!.git/",
		"--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude", "--no-ignore-dot", "--no-ignore-messages", "--no-messages",
	}
	if f.literal != nil {
		args = append(args, "--fixed-strings", "--regexp="+string(f.literal))
	} else if expr, ok := rustExpr(f.expr, f.ignoreCase); ok {
		args = append(args, "--regexp="+expr)
	} else {
		return func() map[string]bool { return nil }
	}
	cmd := exec.CommandContext(ctx, program, append(args, "--", ".")...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{}, time.Second
	var out bytes.Buffer
	cmd.Stdout = &out
	done := make(chan error, 1)
	go func() { done <- cmd.Run() }()
	return func() map[string]bool {
		err := <-done
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) { // 1: no match
			return nil
		}
		found := map[string]bool{}
		for name := range strings.SplitSeq(out.String(), "\x00") {
			found[strings.TrimPrefix(filepath.ToSlash(name), "./")] = true
		}
		return found
	}
}

// rustExpr converts a regular expression of Go for Rust's engine, so that it matches wherever Go's
// does: classes are spelled out (\d, \w and \b mean more there), and any-character patterns also
// match bytes that are not UTF-8. It gives up on the few for which that is impossible.
func rustExpr(expr string, ignoreCase bool) (string, bool) {
	flags := "m"
	if ignoreCase {
		flags = "mi"
	}
	re, err := syntax.Parse("(?"+flags+":"+expr+")", syntax.Perl)
	if err != nil || takesBadBytes(re) {
		return "", false
	}
	s := re.String()
	var b strings.Builder
	class := 0 // where the class around begins, in s
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if class > 0 {
				continue
			}
			switch s[i] {
			case 'b', 'B':
				b.WriteString(`(?-u:\` + s[i:i+1] + `)`)
			case 'A':
				b.WriteString(`(?m:^)`)
			case 'z':
				b.WriteString(`(?m:$)`)
			default:
				b.WriteString(s[i-1 : i+1])
			}
		case class > 0:
			if c == ']' {
				text := s[class-1 : i+1]
				if class = 0; text[1] == '^' || strings.Contains(text, `\x{10ffff}`) {
					text = anyByte(text)
				}
				b.WriteString(text)
			}
		case c == '[':
			class = i + 1
		case c == '.':
			b.WriteString(anyByte("."))
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

func anyByte(class string) string { return `(?:` + class + `|(?-u:[\x80-\xFF]))` }

// takesBadBytes reports whether Go takes a byte that is not UTF-8 for something
// that the expression names, in a way that anyByte does not cover.
func takesBadBytes(re *syntax.Regexp) bool {
	switch n := len(re.Rune); {
	case re.Op == syntax.OpLiteral:
		if slices.Contains(re.Rune, utf8.RuneError) {
			return true
		}
	case re.Op == syntax.OpCharClass && n > 0 && re.Rune[0] != 0 && re.Rune[n-1] != utf8.MaxRune:
		for i := 0; i < n; i += 2 {
			if re.Rune[i] <= utf8.RuneError && utf8.RuneError <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, takesBadBytes)
}
