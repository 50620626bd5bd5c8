package approval

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mutsumi/backend/files"
)

// places is where a call may read and write.
type places struct {
	workspace string // absolute
	folder    string // absolute: where relative paths of a command start
	roots     []string
	scratch   string
	private   []string
	exposed   bool // a command that works around the private folders could reach them
}

func newPlaces(c Call, folder string) *places {
	p := &places{workspace: clean(c.Workspace), folder: folder, scratch: real(clean(c.Scratch))}
	for _, r := range c.Roots {
		if r != "" {
			p.roots = append(p.roots, real(clean(r)))
		}
	}
	for _, dir := range c.Private {
		p.private = append(p.private, real(clean(dir)))
	}
	p.exposed = c.Exposed && c.Tool == toolShell
	return p
}

func clean(p string) string {
	if p == "" {
		return ""
	}
	return filepath.Clean(p)
}

// absolute is the path that a word of a command names, without "..".
func (p *places) absolute(word string) string { return filepath.Clean(seenFrom(p.folder, word)) }

// rooted reports whether a word of a command names a path that does not depend on the folder.
func rooted(word string) bool { return filepath.IsAbs(shellPath(word)) }

// seenFrom is the path that a word of a command names, in a folder.
func seenFrom(folder, word string) string {
	path := shellPath(word)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// maxLinks is how many links of one path are followed at most.
const maxLinks = 64

// real resolves the links of a path as far as it exists, dangling ones too: a file created through
// such a link is created at its target. It returns "" if the links form a loop.
func real(path string) (resolved string) {
	if path == "" {
		return ""
	}
	if runtime.GOOS == "windows" { // short names have a long form
		defer func() { resolved = existing(resolved) }()
	}
	done, rest := rootOf(path), strings.TrimPrefix(filepath.FromSlash(path), rootOf(path))
	for links := 0; rest != ""; {
		part, left, _ := strings.Cut(rest, string(filepath.Separator))
		rest = left
		switch part {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		at := filepath.Join(done, part)
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&(os.ModeSymlink|os.ModeIrregular) == 0 {
			done = at
			continue
		}
		to, err := os.Readlink(at)
		if err != nil && info.Mode()&os.ModeSymlink == 0 {
			done = at // on Windows a junction is irregular, too, and has a target
			continue
		}
		if links++; err != nil || links > maxLinks {
			return ""
		}
		if filepath.IsAbs(to) {
			done, to = rootOf(to), strings.TrimPrefix(to, rootOf(to))
		}
		rest = to + string(filepath.Separator) + rest
	}
	return done
}

// existing resolves the part of a path that exists.
func existing(path string) string {
	rest := ""
	for at := path; at != ""; {
		if r, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(r, rest)
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		rest, at = filepath.Join(filepath.Base(at), rest), up
	}
	return path
}

// rootOf returns the root of an absolute path: "/", or the volume on Windows.
func rootOf(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}

func below(dir, path string) bool {
	if dir == "" || path == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// inside reports whether a path, links followed, is in an allowed folder.
func (p *places) inside(path string) bool { return p.insideFrom(p.folder, path) }

// insideFrom is inside for a path relative to a folder. A path after ".." is resolved both ways:
// through the link before it, as programs do, and lexically, as cd does.
func (p *places) insideFrom(folder, path string) bool {
	if path = shellPath(path); !filepath.IsAbs(path) {
		path = folder + string(filepath.Separator) + path
	}
	if !p.allows(real(filepath.Clean(path))) {
		return false
	}
	return !strings.Contains(path, "..") || p.allows(real(path))
}

// allows reports whether a path without links is in an allowed folder.
func (p *places) allows(resolved string) bool {
	return slices.ContainsFunc(p.roots, func(root string) bool { return below(root, resolved) && !p.withheld(root, resolved) }) || below(p.scratch, resolved)
}

// withheld reports whether a path without links is in a private folder or, for commands that could
// reach one, contains one. A root inside such a folder belongs to an agent.
func (p *places) withheld(root, resolved string) bool {
	return slices.ContainsFunc(p.private, func(dir string) bool {
		return !below(dir, root) && (below(dir, resolved) || p.exposed && below(resolved, dir))
	})
}

// around reports whether a folder is withheld only because it contains a private one.
func (p *places) around(folder string) bool {
	inner := *p
	inner.exposed = false
	return !p.inside(folder) && inner.inside(folder)
}

// insideBare reports whether git would treat a folder, or one above it up to the workspace, as a
// repository because of its content.
func (p *places) insideBare(folder string) bool {
	for dir := real(folder); below(real(p.workspace), dir); dir = filepath.Dir(dir) {
		is := func(name string) bool {
			_, err := os.Lstat(filepath.Join(dir, name))
			return err == nil
		}
		switch {
		case is(".git"):
			return false
		case is("HEAD") && is("objects") && is("refs"):
			return true
		case filepath.Dir(dir) == dir:
			return false
		}
	}
	return false
}

var discardTargets = map[string]bool{"/dev/null": true, "/dev/stdout": true, "/dev/stderr": true, "/dev/fd/1": true, "/dev/fd/2": true}

// discards reports whether writing to a redirect's target changes nothing of the person's.
func (p *places) discards(w word) bool {
	return w.literal && (discardTargets[w.text] || p.scratch != "" && rooted(w.text) && below(p.scratch, real(p.absolute(w.text))))
}

func (p *places) readable(w word, moved bool) string {
	if w.literal && (w.text == "/dev/null" || w.text == "/dev/stdin") {
		return ""
	}
	return p.reach(w, moved, "read")
}

func (p *places) writable(w word, moved bool) string {
	if p.discards(w) {
		return ""
	}
	return p.reach(w, moved, "written")
}

// reach says why the target of a redirect cannot be allowed, "" if it can.
func (p *places) reach(w word, moved bool, verb string) string {
	switch {
	case !w.literal:
		return "the file that is " + verb + " is known only when it runs"
	case strings.HasPrefix(w.text, "/dev/tcp/") || strings.HasPrefix(w.text, "/dev/udp/"):
		return "it opens a network connection"
	case w.text == "":
		return "the file that is " + verb + " has no name"
	case moved && !rooted(w.text):
		return "the command changes its folder, so it is not certain which file is " + verb
	case !p.inside(w.text):
		return "the file that is " + verb + " is outside the allowed folders"
	}
	return ""
}

// guarded returns the part of a path that a pattern has to name, or "": what
// decides over programs is covered by no star.
func guarded(path string) string {
	part, _ := decisive(path)
	return part
}

// file is a path that a tool's arguments name.
type file struct {
	given string
	names []string // as patterns see it: relative to the workspace with slashes, else absolute; links followed or not
	out   bool     // outside the allowed folders
}

// fileOf reads a path or a file URI as the tools do. One that they refuse is outside.
func (p *places) fileOf(given string) file {
	path, err := files.Resolve(p.workspace, cmp.Or(given, "."))
	if err != nil {
		return file{given: given, names: []string{given}, out: true}
	}
	f := file{given: given, out: !p.inside(path), names: []string{p.name(path)}}
	if n := p.name(real(path)); n != f.names[0] {
		f.names = append(f.names, n)
	}
	return f
}

// name is a path as patterns of files see it.
func (p *places) name(path string) string {
	for _, base := range []string{p.workspace, real(p.workspace)} {
		if base == "" {
			continue
		}
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}
