package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// ignoreLimit is the largest .gitignore that is obeyed, in bytes.
const ignoreLimit = 1 << 20

// Walk calls fn for everything below dir, folders before their content, each folder in byte order
// of names. It omits .git and files excluded by .gitignore; it reports links without following
// them, and skips unreadable folders. fn may return fs.SkipDir or fs.SkipAll; any other error ends
// the walk and is returned. A cancelled ctx ends it with ctx.Err().
//
// The .gitignore files from the allowed root (or the workspace, if dir is in it) down to each
// folder apply.
func (r *Roots) Walk(ctx context.Context, dir string, fn func(Entry) error) error {
	where, rel, err := r.locate(dir)
	if err != nil {
		return err
	}
	if where.file != "" {
		return notListable(dir)
	}
	top, err := os.OpenRoot(where.dir)
	if err != nil {
		return pathError("list", dir, err)
	}
	defer top.Close()
	if info, err := top.Stat(rel); err != nil {
		return escapeError(dir, err)
	} else if !info.IsDir() {
		return notListable(dir)
	}
	w := walker{ctx: ctx, fn: fn}
	for _, private := range r.private {
		if below, ok := within(filepath.Join(where.dir, rel), private); ok && r.withheld(where, private) {
			w.private = append(w.private, filepath.ToSlash(below))
		}
	}
	err = w.folder(top, rel, "", above(top, where.dir, filepath.ToSlash(rel), r.workspace))
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

type walker struct {
	ctx context.Context
	fn  func(Entry) error
	n   int

	private []string // folders that are not gone into, below where the walk began
}

// folder walks one folder: rel below the open root, shown as name.
func (w *walker) folder(top *os.Root, rel, name string, ignored *ignore) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	// One step down a time: os.Root resolves a long path from its start.
	here, err := top.OpenRoot(rel)
	if err != nil {
		return nil
	}
	defer here.Close()
	entries, err := readDir(here, ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			ignored = ignored.with(name, readIgnore(here))
		}
	}
	for _, e := range entries {
		if w.n++; w.n%256 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		isDir := e.IsDir()
		if isDir && e.Name() == ".git" {
			continue
		}
		p := path.Join(name, e.Name())
		if slices.Contains(w.private, p) || ignored.match(p, isDir) {
			continue
		}
		err := w.fn(Entry{Path: p, Dir: isDir, Link: e.Type()&fs.ModeSymlink != 0})
		switch {
		case errors.Is(err, fs.SkipDir) && isDir:
			continue
		case errors.Is(err, fs.SkipDir):
			return nil
		case err != nil:
			return err
		}
		if isDir {
			if err := w.folder(here, e.Name(), p, ignored); err != nil {
				return err
			}
		}
	}
	return nil
}

func readIgnore(dir *os.Root) string {
	f, err := dir.OpenFile(".gitignore", os.O_RDONLY|nonblock, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, ignoreLimit))
	if err != nil {
		return ""
	}
	return string(b)
}

// above collects the .gitignore files between the root (or the workspace) and
// the folder where a walk starts; the walk itself reads that folder's own.
func above(top *os.Root, rootDir, rel, workspace string) *ignore {
	if rel == "." {
		return nil
	}
	start := "."
	if down, ok := inside(rootDir, workspace); ok {
		if _, ok := inside(workspace, filepath.Join(rootDir, filepath.FromSlash(rel))); ok {
			start = filepath.ToSlash(down)
		}
	}
	var chain *ignore
	for at := path.Dir(rel); ; at = path.Dir(at) {
		if dir, err := top.OpenRoot(filepath.FromSlash(at)); err == nil {
			if text := readIgnore(dir); text != "" {
				below := rel
				if at != "." {
					below = rel[len(at)+1:]
				}
				chain = chain.atTop(below, text)
			}
			dir.Close()
		}
		if at == start || at == "." {
			return chain
		}
	}
}
