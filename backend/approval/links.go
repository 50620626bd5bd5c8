package approval

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxScanned is how many files are looked at for links that lead outside.
const maxScanned = 5000

// followsLinks finds the option with which a program goes through folders and
// follows the links in them.
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

// linksOut reports whether a link in the folders that a program is given leads
// outside, or whether there are too many files to tell.
func (w *walker) linksOut(p *part, expression map[int]bool) bool {
	given := []string{}
	for i, a := range p.args {
		if !expression[i] && !strings.HasPrefix(a.text, "-") {
			given = append(given, a.text)
		}
	}
	if len(given) == 0 {
		given = []string{"."}
	}
	for _, base := range w.bases() {
		for _, g := range given {
			if !filepath.IsAbs(g) {
				g = filepath.Join(base, g)
			}
			if found := w.allowed.scan(g, ""); found.linkOut || !found.all {
				return true
			}
		}
	}
	return false
}

// scanned is what was found below a folder.
type scanned struct {
	linkOut bool // a link that leads outside the allowed folders
	blank   bool // a name that a shell or xargs would take for several
	all     bool // everything was looked at
}

// scan goes through the files below a folder. Links count when their name fits
// a pattern, "" for all.
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
