package approval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxValues  = 64   // texts that one word is known to become
	maxPath    = 4096 // bytes of a path
	maxMatches = 2000 // names of a folder that a pattern is compared with
)

// outside finds the arguments of a program that name, or could name, a place
// outside the allowed folders.
func (w *walker) outside(p *part) (out []finding) {
	text := expressions(p)
	if i, follows := followsLinks(p); follows && w.linksOut(p, text) {
		out = append(out, finding{i, RiskOutside, p.args[i].text + " follows links, which lead outside the allowed folders"})
	}
	for i, a := range p.args {
		switch {
		case text[i] && (a.literal || a.values != nil):
		case a.tilde, !a.literal && w.strays(a.prefix):
			out = append(out, finding{i, RiskOutside, a.text + " is outside the allowed folders"})
		case a.literal:
			if w.strays(a.text) {
				out = append(out, finding{i, RiskOutside, a.text + " is outside the allowed folders"})
			}
		case a.values != nil:
			if slices.ContainsFunc(a.values, func(v string) bool { return w.valueStrays(v, a) }) {
				out = append(out, finding{i, RiskOutside, a.text + " may be outside the allowed folders"})
			}
		case a.number, a.names, !readsFiles(p.program):
		default:
			out = append(out, finding{i, RiskUnknown, a.text + " is known only when it runs, and could be outside the allowed folders"})
		}
	}
	return out
}

// readsNoFile are harmless programs whose arguments are not paths.
var readsNoFile = setOf("basename dirname tr which whoami id uname printenv seq sleep expr test [ echo pwd")

// readsFiles reports whether an argument of an otherwise unknown program must be assumed to name a
// file that it shows.
func readsFiles(program string) bool {
	return harmless[program] && !readsNoFile[program] || readers[canonicalName(program)]
}

// readers are programs that only read the files named by their arguments, however many, unless an
// option says otherwise.
var readers = setOf("find sort sed awk jq rg fd tree file gofmt date")

// readerVerbs are uses of programs with several uses that are like readers.
var readerVerbs = map[string]string{
	"git": "add annotate blame cat-file check-ignore describe diff diff-files diff-index diff-tree grep log ls-files ls-tree rev-list rev-parse shortlog show status whatchanged",
	"go":  "build doc list test vet",
}

// onlyReads reports whether it does no harm if a program gets several files instead of one.
func onlyReads(p *part) bool {
	name := canonicalName(p.program)
	if verbs, ok := readerVerbs[name]; ok {
		return len(p.args) > 0 && p.args[0].literal && slices.Contains(strings.Fields(verbs), p.args[0].text)
	}
	return harmless[p.program] || readers[name] && len(writtenArgs(p)) == 0
}

// expressions finds the arguments that are a program's expression, in which a slash is not a path:
// the first that is not an option, or those of -e.
func expressions(p *part) map[int]bool {
	valued, files := "", ""
	switch canonicalName(p.program) {
	case "grep", "egrep", "fgrep":
		valued = "ABCmdD"
	case "rg":
		valued = "ABCEgjmMrtTd"
	case "sed":
		valued = "l"
	case "awk":
		valued = "Fv"
	case "jq":
		files = "L"
	default:
		return nil
	}
	out := map[int]bool{}
	given := false // the expression is in an option
	first := -1
	for i := 0; i < len(p.args); i++ {
		text := p.args[i].text
		switch {
		case len(text) < 2 || text[0] != '-':
			if first < 0 {
				first = i
			}
			continue
		case text == "--":
			if first < 0 && i+1 < len(p.args) {
				first = i + 1
			}
			i = len(p.args)
			continue
		case strings.HasPrefix(text, "--"):
			name, _, has := strings.Cut(text, "=")
			if len(name) > 3 && (strings.HasPrefix("--regexp", name) || strings.HasPrefix("--expression", name)) {
				given = true
				if has {
					out[i] = true
				} else {
					out[i+1] = true
					i++
				}
			} else if len(name) > 3 && (strings.HasPrefix("--file", name) || strings.HasPrefix("--from-file", name)) || name == "--files" {
				given = true
			}
			continue
		}
		for at := 1; at < len(text); at++ {
			c := text[at]
			isExpr := c == 'e' && p.program != "jq" && canonicalName(p.program) != "awk"
			if !isExpr && c != 'f' && strings.IndexByte(valued+files, c) < 0 {
				continue
			}
			given = given || isExpr || c == 'f'
			attached := at+1 < len(text)
			switch {
			case isExpr && attached:
				out[i] = true
			case isExpr:
				out[i+1] = true
			}
			if !attached {
				i++
			}
			break
		}
	}
	if !given && first >= 0 {
		out[first] = true
	}
	return out
}

// strays reports whether a text that a program gets names a place outside the
// allowed folders. Links are followed.
func (w *walker) strays(text string) bool {
	candidates := []string{text}
	if i := strings.IndexByte(text, '='); i >= 0 {
		candidates = append(candidates, text[i+1:])
	}
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		candidates = append(candidates, text[2:])
	}
	return slices.ContainsFunc(candidates, func(c string) bool {
		up := slices.Contains(strings.Split(filepath.ToSlash(c), "/"), "..")
		switch {
		case c == "" || discardTargets[c] || len(c) >= maxPath:
			return false
		case strings.HasPrefix(c, "~"):
			return true
		case rooted(c):
			return !w.allowed.inside(c)
		case up && w.moved():
			return true
		case c[0] == '-' && !up:
			return false
		}
		return slices.ContainsFunc(w.bases(), func(base string) bool { return !w.allowed.insideFrom(base, c) })
	})
}

// bases are the folders in which the command may be when a program starts.
func (w *walker) bases() []string { return append([]string{w.allowed.folder}, *w.cdTargets...) }

// valueStrays is strays for a possible text of a word. A pattern in a word is compared with the
// files that exist now.
func (w *walker) valueStrays(v string, a word) bool {
	if !a.glob {
		return w.strays(v)
	}
	prefix, _, _ := strings.Cut(v, "*")
	if i := strings.IndexAny(v, "*?["); i >= 0 {
		prefix = v[:i]
	}
	if w.strays(prefix) || slices.Contains(strings.Split(v[len(prefix):], "/"), "..") {
		return true // what ".." leads out of may be made before the program starts
	}
	if at := shellPath(v); filepath.IsAbs(at) {
		return w.matchStrays(rootOf(at), strings.Split(filepath.ToSlash(strings.TrimPrefix(at, rootOf(at))), "/"), a.split)
	}
	return slices.ContainsFunc(w.bases(), func(base string) bool { return w.matchStrays(base, strings.Split(v, "/"), a.split) })
}

// matchStrays reports whether a pattern, part by part, may match something whose links lead outside
// or, if split is set, a name that the shell would split into several words.
func (w *walker) matchStrays(dir string, parts []string, split bool) bool {
	for i, part := range parts {
		at := strings.IndexAny(part, "*?[")
		switch {
		case part == "..":
			return true
		case at < 0:
			dir = filepath.Join(dir, part)
			continue
		case at > 0 && part[0] == '.' && strings.Trim(part[:at], ".") == "":
			return true // .* is .. too
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return !os.IsNotExist(err)
		}
		if len(entries) > maxMatches {
			return true
		}
		for _, e := range entries {
			name := e.Name()
			if !strings.HasPrefix(name, part[:at]) || at == 0 && name[0] == '.' {
				continue
			}
			if ok, err := filepath.Match(part, name); err == nil && !ok && !strings.Contains(part, "[") {
				continue
			}
			path := filepath.Join(dir, name)
			if split && strings.ContainsAny(name, " \t\n*?[\\") || e.Type()&os.ModeSymlink != 0 && !w.allowed.inside(path) {
				return true
			}
			if rest := parts[i+1:]; len(rest) > 0 && e.Type()&(os.ModeDir|os.ModeSymlink) != 0 && w.matchStrays(path, rest, split) {
				return true
			}
		}
		return false
	}
	return !w.allowed.inside(dir)
}
