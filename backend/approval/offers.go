package approval

import (
	"slices"
	"strings"
)

// widely are the programs, with their first words, for which a pattern with a star is offered: with
// any further arguments they do no more than the words say, and anything that could do more has to
// be named. For all others only the exact command is offered. "<name>" is any word: a script of a
// package, named by the person.
var widely = map[string][]string{
	"git": {"annotate", "blame", "cherry", "commit", "add", "count-objects", "describe", "diff", "grep", "log", "ls-files", "ls-tree", "merge-base", "name-rev",
		"rev-list", "rev-parse", "shortlog", "show", "show-ref", "for-each-ref", "status", "whatchanged", "stash list", "stash show", "remote get-url"},
	"go":     {"build", "doc", "list", "test", "vet"},
	"npm":    {"test", "run <name>"},
	"yarn":   {"test", "run <name>"},
	"pnpm":   {"test", "run <name>"},
	"bun":    {"test", "run <name>"},
	"cargo":  {"bench", "build", "check", "clippy", "doc", "fmt", "test"},
	"pytest": {""}, "find": {""}, "sort": {""}, "uniq": {""}, "sed": {""}, "awk": {""}, "jq": {""}, "rg": {""}, "tree": {""}, "file": {""}, "date": {""}, "fd": {""}, "gofmt": {""}, "shuf": {""}, "printf": {""},
}

func (s subject) forCommand() []Suggestion {
	if s.command.problem() != "" || s.problem != "" {
		return nil // no rule helps
	}
	var exact, wide []string
	for _, p := range s.command.parts {
		switch {
		case p.neutral:
		case p.kind == KindRedirect && p.write:
			name := "> " + escapePath(p.targetNames[0])
			exact, wide = append(exact, name), append(wide, name)
		case p.kind == KindProgram:
			e, ok := exactPattern(p)
			if !ok || slices.ContainsFunc(p.findings, func(f finding) bool { return f.arg < 0 }) {
				return nil
			}
			exact, wide = append(exact, s.inFolders(p, e)...), append(wide, s.inFolders(p, widePattern(p, e))...)
		}
	}
	if len(exact) == 0 { // nothing but echo, cd and their like
		for _, p := range s.command.parts {
			if e, ok := exactPattern(p); ok && p.kind == KindProgram && p.via == "" {
				exact, wide = append(exact, e), append(wide, widePattern(p, e))
			}
		}
	}
	if len(exact) == 0 {
		return nil
	}
	slices.Sort(exact)
	slices.Sort(wide)
	exact, wide = slices.Compact(exact), slices.Compact(wide)
	out := []Suggestion{{strings.Join(exact, " and "), exact}}
	if !slices.Equal(exact, wide) {
		out = append(out, Suggestion{strings.Join(wide, " and "), wide})
	}
	return out
}

// inFolders returns a pattern for each folder in which a program may start.
func (s subject) inFolders(p *part, pattern string) []string {
	if p.anyFolder {
		return []string{pattern}
	}
	var out []string
	for _, f := range p.folders {
		if name := s.places.name(f); name != "." {
			out = append(out, "cd "+quote(name)+" && "+pattern)
		} else {
			out = append(out, pattern)
		}
	}
	if len(out) == 0 { // it starts in folders that are not known
		return []string{"cd ** && " + pattern}
	}
	return out
}

// exactPattern names a command with all its arguments. False: some are not known.
func exactPattern(p *part) (string, bool) {
	words := []string{quote(p.program)}
	for i, a := range p.args {
		if !a.literal {
			if onlyReads(p) && (harmless[p.program] || i == len(p.args)-1 && !a.dynamic) {
				return strings.Join(words, " ") + " *", len(p.findings) == 0
			}
			return "", false
		}
		words = append(words, quote(a.text))
	}
	return strings.Join(words, " "), true
}

// widePattern names a command by its first words if further arguments do no more. A command with
// something that has to be named is offered as it is.
func widePattern(p *part, exact string) string {
	words, ok := []string(nil), harmless[p.program] && p.program != "printenv"
	for _, w := range widely[canonicalName(p.program)] {
		if n := strings.Fields(w); !ok && begins(p.args, n) {
			words, ok = n, true
		}
	}
	if !ok || len(p.findings) > 0 {
		return exact
	}
	out := []string{quote(p.program)}
	for i := range words {
		out = append(out, quote(p.args[i].text))
	}
	return strings.Join(out, " ") + " *"
}

// begins reports whether arguments begin with these words.
func begins(args []word, words []string) bool {
	if len(args) < len(words) {
		return false
	}
	for i, w := range words {
		if !args[i].literal || strings.HasPrefix(args[i].text, "-") || w != "<name>" && args[i].text != w {
			return false
		}
	}
	return true
}
