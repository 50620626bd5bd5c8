package approval

import (
	"os"
	"path/filepath"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// goTo records that the shell changes to a folder. If the folder does not exist, the shell may stay
// where it is.
func (w *walker) goTo(folder string) {
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		*w.folders = []string{folder}
		return
	}
	*w.folders = union(*w.folders, []string{folder})
}

// subshell returns a walker for commands in a shell of their own, whose changes of folder do not
// affect the outer shell.
func (w *walker) subshell() *walker {
	d := *w
	folders := slices.Clone(*w.folders)
	d.folders = &folders
	return &d
}

// branch walks commands that may or may not run.
func (w *walker) branch(walk func()) {
	before := *w.folders
	walk()
	*w.folders = union(before, *w.folders)
}

// chain walks a && b and a || b.
func (w *walker) chain(c *syntax.BinaryCmd) {
	before := *w.folders
	w.stmt(c.X)
	first := *w.folders
	if c.Op == syntax.AndStmt {
		if to := lastFolder(c.X); to != "" {
			*w.folders = []string{w.allowed.absolute(to)}
		}
		w.stmt(c.Y)
		*w.folders = union(before, union(first, *w.folders))
		return
	}
	if exits(c.Y) { // cd folder || exit
		before = first
		if to := lastFolder(c.X); to != "" {
			before = []string{w.allowed.absolute(to)}
		}
		w.subshell().stmt(c.Y)
		*w.folders = before
		return
	}
	*w.folders = union(before, first)
	w.stmt(c.Y)
	*w.folders = union(before, union(first, *w.folders))
}

// lastFolder returns the folder that a statement has gone to when it succeeded,
// "" when its last command is not cd.
func lastFolder(s *syntax.Stmt) string {
	if s.Negated || s.Background || len(s.Redirs) > 0 {
		return ""
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt {
			return lastFolder(c.Y)
		}
	case *syntax.CallExpr:
		if len(c.Assigns) == 0 && len(c.Args) == 2 && c.Args[0].Lit() == "cd" {
			return c.Args[1].Lit()
		}
	}
	return ""
}

// exits reports whether a statement ends the shell.
func exits(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Background && !s.Negated && len(c.Assigns) == 0 && len(c.Args) > 0 && c.Args[0].Lit() == "exit"
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// anyFolder reports whether, as far as a grant is concerned, a program does the same wherever it
// starts: it only reads, or works on the whole repository.
func (p *places) anyFolder(x *part) bool {
	switch canonicalName(x.program) {
	case "git":
		return onlyReads(x) || len(x.folders) > 0 && !slices.ContainsFunc(x.folders, func(f string) bool { return !p.sameRepository(f) })
	case "go":
		return !slices.ContainsFunc(x.folders, func(f string) bool { return !p.sameModule(f) }) && len(x.folders) > 0
	}
	return onlyReads(x)
}

// sameRepository reports whether a folder belongs to the repository of the
// workspace, and to none of its own.
func (p *places) sameRepository(folder string) bool {
	for dir := folder; dir != p.workspace; dir = filepath.Dir(dir) {
		if !below(p.workspace, dir) {
			return false
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return false
		}
	}
	return true
}

// sameModule reports whether a folder belongs to the Go module of the workspace.
func (p *places) sameModule(folder string) bool {
	for dir := folder; below(p.workspace, dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, "go.mod")); err == nil {
			return dir == p.workspace
		}
		if dir == p.workspace {
			break
		}
	}
	return folder == p.workspace
}
