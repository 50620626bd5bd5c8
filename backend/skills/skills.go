// Package skills finds the skills of a folder and of the person, and reads their SKILL.md files as
// agentskills.io defines them (SPEC 13.3). It does not decide which of a folder's skills are
// trusted (package access does), and offers none to a model (package request does).
package skills

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits of what is read.
const (
	maxSkills = 200      // in one place
	maxFiles  = 1000     // files and folders of one skill
	maxDepth  = 12       // of folders in a skill
	maxSize   = 64 << 10 // bytes of a SKILL.md
)

// Places are where a folder keeps skills, relative to it. If several skills have the same name, the
// first counts.
var Places = []string{".mutsumi/skills", ".agents/skills", ".claude/skills"}

// Skill is a folder with a SKILL.md.
type Skill struct {
	Name        string // of its folder; the SKILL.md must give the same name
	Description string
	Body        string   // Markdown below the front matter
	Dir         string   // absolute
	Rel         string   // Dir relative to the workspace, with slashes; "": the person's own
	File        string   // name of the SKILL.md in Dir
	Text        string   // all of the SKILL.md
	Files       []string // the others, relative to Dir with slashes, in byte order
	Problem     string   // why it cannot be used; "": it can
	Held        bool     // a folder brought or changed it, and the person has not trusted it; see Choose
}

// Usable reports whether the skill can be offered to a model.
func (s Skill) Usable() bool { return s.Problem == "" && !s.Held }

// Where names the skill's SKILL.md for people.
func (s Skill) Where() string {
	return path.Join(cmp.Or(s.Rel, filepath.ToSlash(s.Dir)), s.File)
}

// Scan reads the skills of a workspace, then those in the person's own folder ("": none), in the
// order of the places and their names. Unusable skills have a Problem.
func Scan(workspace, personal string) (all []Skill) {
	for _, p := range places(workspace, personal) {
		p.each(func(root *os.Root, s Skill) {
			s.read(root, p.inRoot(s.Name))
			all = append(all, s)
		})
	}
	return all
}

// Files lists the files of the skills of a workspace, relative to it with slashes,
// whether or not the skills can be used.
func Files(workspace string) (all []string) {
	for _, p := range places(workspace, "") {
		p.each(func(_ *os.Root, s Skill) {
			for _, name := range append([]string{s.File}, s.Files...) {
				if name != "" {
					all = append(all, path.Join(s.Rel, name))
				}
			}
		})
	}
	return all
}

// NameIn returns the name of the skill that a file belongs to, given its path relative to the
// workspace with slashes; "": it belongs to none.
func NameIn(file string) string {
	for _, p := range Places {
		if rest, ok := strings.CutPrefix(file, p+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			return name
		}
	}
	return ""
}

// Choose decides which of the skills count; counts reports whether a skill is trusted. Of several
// usable skills with one name the first counts, and the others say so in Problem. A folder that is
// reached by two paths is one skill.
func Choose(all []Skill, counts func(Skill) bool) (out []Skill) {
	first := map[string]Skill{}
	for _, s := range all {
		s.Held = !counts(s)
		if !s.Usable() {
			out = append(out, s)
			continue
		}
		if winner, taken := first[s.Name]; !taken {
			first[s.Name] = s
		} else if same(winner.Dir, s.Dir) {
			continue
		} else {
			s.Problem = "it is not used: " + winner.Where() + " has the same name and comes first"
		}
		out = append(out, s)
	}
	return out
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
