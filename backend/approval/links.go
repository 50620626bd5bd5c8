package approval

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxScanned is how many files are searched for links that lead outside.
const maxScanned = 5000

// followsLinks finds the option that makes a program follow links while it walks folders.
func followsLinks(p *part) (arg int, ok bool) {
	has := func(letters string, words ...string) int {
		return slices.IndexFunc(p.args, func(a word) bool {
			long := strings.HasPrefix(a.text, "--")
			return len(a.text) > 1 && a.text[0] == '-' && (slices.Contains(words, a.text) || !long && letters != "" && strings.ContainsAny(a.text, letters))
		})
	}
	switch canonicalName(p.program) {
	case "find":
		arg = has("", "-L", "-follow")
	case "grep", "egrep", "fgrep":
		arg = has("R", "--dereference-recursive")
	case "rg", "du", "fd":
		arg = has("L", "--follow", "--dereference")
	case "ls":
		if has("R", "--recursive") < 0 {
			return 0, false
		}
		arg = has("L", "--dereference")
	case "tree":
		arg = has("l")
	case "diff":
		arg = has("r", "--recursive")
	default:
		return 0, false
	}
	return arg, arg >= 0
}

// linksOut reports whether a link in the folders that a program walks leads outside, or whether
// there are too many files to tell.
func (w *walker) linksOut(p *part, expression map[int]bool) bool {
	given := starts(p, expression)
	for _, base := range w.bases() {
		for _, g := range given {
			if found := w.allowed.scan(seenFrom(base, g), ""); found.linkOut || !found.all {
				return true
			}
		}
	}
	return false
}

// starts returns the folders and files that a program walks. If an argument may be the value of an
// option instead, they include the folder in which the program starts.
func starts(p *part, expression map[int]bool) (given []string) {
	option := func(i int) bool { return strings.HasPrefix(p.args[i].text, "-") }
	certain, valued := false, false // some argument is a folder for certain; one may be the value of a long option
	switch name := canonicalName(p.program); name {
	case "find":
		i := 0
		for i < len(p.args) && slices.Contains([]string{"-L", "-H", "-P"}, p.args[i].text) {
			i++
		}
		for ; i < len(p.args) && !option(i) && !slices.Contains([]string{"(", ")", "!", ","}, p.args[i].text); i++ {
			given, certain = append(given, p.args[i].text), true
		}
	default:
		for i := range p.args {
			if option(i) {
				continue
			}
			behind := i > 0 && option(i-1)
			valued = valued || behind && strings.HasPrefix(p.args[i-1].text, "--") && !strings.Contains(p.args[i-1].text, "=")
			if !expression[i] {
				given = append(given, p.args[i].text)
				certain = certain || !behind && !valued && name != "fd" // whose first argument is a pattern
			}
		}
	}
	if !certain {
		given = append(given, ".")
	}
	return given
}

// takesLinks are programs that remove a link itself, not its target.
var takesLinks = setOf("rm unlink rmdir mv ln")

// followArgs notes where the links in a program's paths lead: a star has to
// cover that too.
func (w *walker) followArgs(p *part) {
	if onlyReads(p) {
		return
	}
	for i, a := range p.args {
		if !a.literal || !strings.Contains(a.text, "/") || strings.HasPrefix(a.text, "-") {
			continue
		}
		for _, base := range w.bases() {
			at, last := seenFrom(base, a.text), a.text[strings.LastIndexByte(a.text, '/')+1:]
			to := real(at)
			if takesLinks[canonicalName(p.program)] && strings.Trim(last, ".") != "" {
				to = filepath.Join(real(filepath.Dir(at)), last)
			}
			rel, err := filepath.Rel(real(base), to)
			switch {
			case err != nil:
			case !rooted(a.text):
				to = rel
			case filepath.IsLocal(rel):
				to = filepath.Join(base, rel)
			}
			if to = filepath.ToSlash(to); to != path.Clean(a.text) {
				p.args[i].leads = append(p.args[i].leads, to)
			}
		}
	}
}

// scanned is the result of scanning a folder.
type scanned struct {
	linkOut bool // a link that leads outside the allowed folders
	blank   bool // a name that a shell or xargs would split into several
	all     bool // everything was searched
}

// scan walks the files below a folder. It counts links whose name matches a pattern, "" for all.
func (p *places) scan(dir, pattern string) (found scanned) {
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		if n++; n > maxScanned {
			return fs.SkipAll
		}
		if d.IsDir() && d.Name() == ".git" && path != dir {
			return fs.SkipDir
		}
		found.blank = found.blank || path != dir && d.IsDir() && strings.ContainsAny(d.Name(), " \t\n'\"\\")
		fits, bad := filepath.Match(pattern, d.Name())
		if d.Type()&fs.ModeSymlink != 0 && (fits || bad != nil || pattern == "") && !p.inside(path) {
			found.linkOut = true
		}
		return nil
	})
	found.all = err == nil && n <= maxScanned
	return found
}
