package approval

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// listsNames reports whether a command prints only names of files inside the allowed folders: find
// and similar programs list them, and filters pass some of them on. input reports the same about
// the command's input.
func (w *walker) listsNames(s *syntax.Stmt, input func() bool) bool {
	if s.Background || s.Coprocess || s.Negated {
		return false
	}
	for _, r := range s.Redirs {
		if r.N == nil || r.N.Value != "2" || r.Word.Lit() != "/dev/null" {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe {
			return false
		}
		return w.listsNames(c.Y, func() bool { return w.listsNames(c.X, input) })
	case *syntax.CallExpr:
		if len(c.Args) == 0 || len(c.Assigns) > 0 {
			return false
		}
		var words []word
		for _, a := range c.Args {
			words = append(words, w.wordReader().words(a)...)
		}
		p := &part{kind: KindProgram, program: words[0].text, args: words[1:]}
		if !words[0].literal || slices.ContainsFunc(p.args, func(a word) bool { return !a.literal }) || len(w.outside(p)) > 0 {
			return false
		}
		return lister(p) && !w.listsOutside(p) || filter(p) && input != nil && input()
	}
	return false
}

// listsOutside reports whether a listed name may be a link that leads outside, or may be split into
// several names.
func (w *walker) listsOutside(p *part) bool {
	given, pattern, links := []string{"."}, "", true
	if p.program == "find" {
		pattern, links = findFilter(p)
		if starts := startsOf(p); len(starts) > 0 {
			given = starts
		}
	}
	null := slices.ContainsFunc(p.args, func(a word) bool {
		return slices.Contains([]string{"-print0", "-z", "-0", "-Z", "--null"}, a.text)
	})
	return slices.ContainsFunc(given, func(g string) bool {
		return slices.ContainsFunc(w.bases(), func(base string) bool {
			found := w.allowed.scan(seenFrom(base, g), pattern)
			return links && found.linkOut || !null && found.blank
		})
	})
}

// startsOf are the folders in which find begins.
func startsOf(p *part) (out []string) {
	for _, a := range p.args {
		if strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" {
			break
		}
		out = append(out, a.text)
	}
	return out
}

// findFilter returns the pattern of -name that every file listed by find matches, "" if there is
// none, and whether links are included.
func findFilter(p *part) (pattern string, links bool) {
	links = true
	for i, a := range p.args {
		value := ""
		if i+1 < len(p.args) && (i == 0 || p.args[i-1].text != "!" && p.args[i-1].text != "-not") {
			value = p.args[i+1].text
		}
		switch {
		case a.text == "-o" || a.text == "-or" || a.text == ",":
			return "", true
		case a.text == "-name" && value != "":
			pattern = value
		case a.text == "-type" && (value == "f" || value == "d"):
			links = false
		}
	}
	return pattern, links
}

// lister reports whether a program lists names of files.
func lister(p *part) bool {
	has := func(options ...string) bool {
		return slices.ContainsFunc(p.args, func(a word) bool { return slices.Contains(options, a.text) })
	}
	switch p.program {
	case "find":
		return !slices.ContainsFunc(p.args, func(a word) bool {
			return slices.Contains(strings.Fields("-L -H -follow -ls -files0-from -exec -execdir -ok -okdir"), a.text) || strings.HasPrefix(a.text, "-printf") || strings.HasPrefix(a.text, "-f")
		})
	case "ls":
		return !slices.ContainsFunc(p.args, func(a word) bool { return a.text != "-1" && strings.HasPrefix(a.text, "-") })
	case "git":
		switch {
		case len(p.args) == 0:
		case p.args[0].text == "ls-files":
			return !slices.ContainsFunc(p.args, func(a word) bool {
				return a.text != "-z" && a.text != "-m" && a.text != "-o" && a.text != "--" && a.text != "--others" && a.text != "--modified" && a.text != "--exclude-standard" && strings.HasPrefix(a.text, "-")
			})
		case p.args[0].text == "grep":
			return has("-l", "--files-with-matches", "--name-only", "-il", "-li")
		case p.args[0].text == "diff":
			return has("--name-only")
		}
	case "grep":
		return has("-l", "-rl", "-lr", "-Rl", "-rli", "-ril", "-lri", "-irl", "-rlE", "-rnl", "-rln", "--files-with-matches") && !has("-o", "-h", "--label")
	case "rg":
		return has("-l", "--files", "--files-with-matches")
	case "fd", "fdfind":
		return !slices.ContainsFunc(p.args, func(a word) bool {
			return strings.HasPrefix(a.text, "-") && !has("-e", "-t", "-H", "-g", "-0") || strings.ContainsAny(a.text, "xX") && strings.HasPrefix(a.text, "-")
		})
	}
	return false
}

// filter reports whether a program passes some of the lines on that it reads,
// and nothing else.
func filter(p *part) bool {
	switch p.program {
	case "sort", "uniq":
		return !slices.ContainsFunc(p.args, func(a word) bool { return strings.Trim(a.text, "-urnvz") != "" })
	case "head", "tail":
		return !slices.ContainsFunc(p.args, func(a word) bool { return strings.Trim(a.text, "-n0123456789") != "" })
	case "grep":
		operands := 0
		for _, a := range p.args {
			if !strings.HasPrefix(a.text, "-") {
				operands++
			} else if strings.Trim(a.text, "-vEFiwxz") != "" {
				return false
			}
		}
		return operands == 1
	case "tr":
		return len(p.args) == 2 && p.args[0].text == `\n` && p.args[1].text == `\0`
	case "cat":
		return len(p.args) == 0
	}
	return false
}
