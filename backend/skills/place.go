package skills

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
)

// place is a folder that holds skills, each in its own folder. Nothing outside root is read,
// wherever links lead.
type place struct {
	root string // absolute
	dir  string // relative to root, with slashes
	own  bool   // the person's
}

func places(workspace, personal string) (all []place) {
	for _, dir := range Places {
		all = append(all, place{root: workspace, dir: dir})
	}
	if personal != "" {
		all = append(all, place{root: personal, dir: ".", own: true})
	}
	return all
}

func (p place) abs() string { return filepath.Join(p.root, filepath.FromSlash(p.dir)) }

// inRoot returns the path of a skill in root, by which its files are opened.
func (p place) inRoot(name string) string { return path.Join(p.dir, name) }

const leavesFolder = "it is a link that leads out of this folder, or begins at the root of the disk: copy what it leads to, or make it relative"

// each calls found for each skill of the place, in byte order of their names. The skills have no
// text yet.
func (p place) each(found func(*os.Root, Skill)) {
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return
	}
	defer root.Close()
	broken := func(name, problem string) {
		found(root, p.skill(name, problem))
	}
	if _, err := root.Stat(filepath.FromSlash(p.dir)); errors.Is(err, fs.ErrNotExist) {
		return
	} else if err != nil {
		broken("", leavesFolder)
		return
	}
	entries, err := fs.ReadDir(root.FS(), p.dir)
	if err != nil {
		broken("", "the folder cannot be read")
		return
	}
	count := 0
	for _, e := range entries {
		rel := filepath.FromSlash(p.inRoot(e.Name()))
		info, err := root.Stat(rel)
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			broken(e.Name(), leavesFolder)
			continue
		case err != nil || !info.IsDir():
			continue
		}
		s := p.skill(e.Name(), "")
		w := walk{root: root, top: p.inRoot(e.Name())}
		w.folder(".", 0)
		if s.File = w.skillFile(); s.File == "" {
			continue // not a skill
		}
		if count++; count > maxSkills {
			broken("", "there are more than "+strconv.Itoa(maxSkills)+" skills here: the others are not read")
			return
		}
		s.Files, s.Problem = slices.DeleteFunc(w.files, func(name string) bool { return name == s.File }), w.problem
		slices.Sort(s.Files)
		found(root, s)
	}
}

func (p place) skill(name, problem string) Skill {
	s := Skill{Name: name, Dir: filepath.Join(p.abs(), name), Problem: problem}
	if !p.own {
		s.Rel = path.Join(p.dir, name)
	}
	return s
}

// walk lists the files of one skill.
type walk struct {
	root    *os.Root
	top     string // path of the skill in root
	files   []string
	seen    int
	problem string
}

func (w *walk) folder(dir string, depth int) {
	entries, err := fs.ReadDir(w.root.FS(), path.Join(w.top, dir))
	if err != nil {
		w.wrong(dir + " cannot be read")
		return
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() == ".git" {
			continue
		}
		name := path.Join(dir, e.Name())
		if w.seen++; w.seen > maxFiles || depth > maxDepth {
			w.wrong("it holds more than " + strconv.Itoa(maxFiles) + " files, or folders more than " + strconv.Itoa(maxDepth) + " deep: move what agents need not see elsewhere")
			return
		}
		if e.IsDir() {
			w.folder(name, depth+1)
			continue
		}
		info, err := w.root.Stat(filepath.FromSlash(path.Join(w.top, name)))
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			w.wrong(name + ": " + leavesFolder)
		case err == nil && info.Mode().IsRegular():
			w.files = append(w.files, name)
		}
	}
}

func (w *walk) wrong(problem string) {
	if w.problem == "" {
		w.problem = problem
	}
}

// skillFile returns the name of the SKILL.md; skill.md counts if there is no other.
func (w *walk) skillFile() string {
	for _, name := range []string{"SKILL.md", "skill.md"} {
		if slices.Contains(w.files, name) {
			return name
		}
	}
	// The skill has too many files, or its SKILL.md is a link to elsewhere.
	if info, err := w.root.Lstat(filepath.FromSlash(path.Join(w.top, "SKILL.md"))); err == nil && !info.IsDir() && w.problem != "" {
		return "SKILL.md"
	}
	return ""
}
