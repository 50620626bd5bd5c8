package files

import (
	"path"
	"strings"

	"mutsumi/backend/glob"
)

// ignore is a chain of .gitignore files, the nearest first. nil ignores nothing.
type ignore struct {
	outer *ignore
	base  string // the folder of the file, relative to where the walk starts; "" is that folder
	below string // for a file above the start: the path from it down to the start
	rules []rule
}

// rule is one line of a .gitignore.
type rule struct {
	kind    ruleKind
	negate  bool
	dirOnly bool
	text    string   // exact, suffix, glob
	parts   []string // anchored
}

type ruleKind int

const (
	exactName  ruleKind = iota // node_modules
	suffixName                 // *.log
	globName                   // fo?[ab]*
	anchored                   // /build, doc/*.txt, a/**/b
)

func (ig *ignore) with(base, text string) *ignore {
	rules := parseIgnore(text)
	if len(rules) == 0 {
		return ig
	}
	return &ignore{outer: ig, base: base, rules: rules}
}

// atTop puts a file of a folder further up outermost.
func (ig *ignore) atTop(below, text string) *ignore {
	top := &ignore{below: below, rules: parseIgnore(text)}
	if ig == nil {
		return top
	}
	end := ig
	for end.outer != nil {
		end = end.outer
	}
	end.outer = top
	return ig
}

// match reports whether a path, relative to where the walk starts, is left out.
func (ig *ignore) match(p string, isDir bool) bool {
	name := path.Base(p)
	for ; ig != nil; ig = ig.outer {
		rel := p
		if ig.base != "" {
			rel = p[len(ig.base)+1:]
		} else if ig.below != "" {
			rel = ig.below + "/" + p
		}
		for i := len(ig.rules) - 1; i >= 0; i-- {
			if r := &ig.rules[i]; (!r.dirOnly || isDir) && r.match(rel, name) {
				return !r.negate
			}
		}
	}
	return false
}

func (r *rule) match(rel, name string) bool {
	switch r.kind {
	case exactName:
		return name == r.text
	case suffixName:
		return strings.HasSuffix(name, r.text)
	case globName:
		return globMatch(r.text, name)
	}
	return glob.Match(r.parts, rel, globMatch)
}

func parseIgnore(text string) []rule {
	text = strings.TrimPrefix(text, "\uFEFF")
	var rules []rule
	for line := range strings.Lines(text) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (rule, bool) {
	// Spaces at the end do not count unless a backslash is before them.
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.negate = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly = true
		line = strings.TrimSuffix(line, "/")
	}
	if line == "" {
		return rule{}, false
	}
	if strings.Contains(line, "/") {
		r.kind = anchored
		r.parts = strings.Split(strings.TrimPrefix(line, "/"), "/")
		if r.parts[len(r.parts)-1] == "**" { // everything in a folder, not the folder
			r.parts = append(r.parts, "*")
		}
		return r, true
	}
	r.text = line
	switch {
	case !strings.ContainsAny(line, `*?[\`):
		r.kind = exactName
	case line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\`):
		r.kind, r.text = suffixName, line[1:]
	default:
		r.kind = globName
	}
	return r, true
}

// globMatch matches one path element against a git pattern: `*`, `?`, `[a-z]`, `[!a]` and
// backslashes. It backtracks to the last star only, so it is quadratic at worst. Like git it
// matches bytes, not characters.
func globMatch(pat, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		if p < len(pat) && pat[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if p < len(pat) {
			if n, ok := matchOne(pat[p:], s[i]); ok {
				p, i = p+n, i+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

// matchOne matches the first element of a pattern, which is not a star, and returns
// its length.
func matchOne(pat string, c byte) (int, bool) {
	switch pat[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pat) == 1 {
			return 1, false
		}
		return 2, pat[1] == c
	case '[':
		return matchClass(pat, c)
	}
	return 1, pat[0] == c
}

func matchClass(pat string, c byte) (int, bool) {
	p := 1
	negate := p < len(pat) && (pat[p] == '!' || pat[p] == '^')
	if negate {
		p++
	}
	hit := false
	for first := true; ; first = false {
		if p >= len(pat) {
			return 0, false // never closed: git matches nothing
		}
		if pat[p] == ']' && !first {
			return p + 1, hit != negate
		}
		if strings.HasPrefix(pat[p:], "[:") {
			if end := strings.Index(pat[p:], ":]"); end > 0 {
				hit = hit || posixClass(pat[p+2:p+end], c)
				p += end + 2
				continue
			}
		}
		lo, n := classByte(pat[p:])
		p += n
		hi := lo
		if p+1 < len(pat) && pat[p] == '-' && pat[p+1] != ']' {
			hi, n = classByte(pat[p+1:])
			p += 1 + n
		}
		if lo <= c && c <= hi {
			hit = true
		}
	}
}

func classByte(pat string) (byte, int) {
	if pat[0] == '\\' && len(pat) > 1 {
		return pat[1], 2
	}
	return pat[0], 1
}

func posixClass(name string, c byte) bool {
	switch name {
	case "alpha":
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	case "digit":
		return c >= '0' && c <= '9'
	case "alnum":
		return posixClass("alpha", c) || posixClass("digit", c)
	case "upper":
		return c >= 'A' && c <= 'Z'
	case "lower":
		return c >= 'a' && c <= 'z'
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "punct":
		return c > ' ' && c < 0x7f && !posixClass("alnum", c)
	case "xdigit":
		return posixClass("digit", c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	}
	return false
}
