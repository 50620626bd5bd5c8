package files

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Entry is one file or folder of a listing or a walk.
type Entry struct {
	Path string // with slashes, relative to the requested folder
	Dir  bool
	Link bool // a symbolic link; in a listing Dir then describes its target
}

// Name is the last part of the path.
func (e Entry) Name() string { return path.Base(e.Path) }

// List returns the content of a folder, sorted by name in byte order. A link counts as a folder if
// it leads to one inside the set. A file is Invalid.
func (r *Roots) List(dir string) ([]Entry, error) {
	where, rel, err := r.locate(dir)
	if err != nil {
		return nil, err
	}
	if where.file != "" {
		return nil, notListable(dir)
	}
	top, err := os.OpenRoot(where.dir)
	if err != nil {
		return nil, pathError("list", dir, err)
	}
	defer top.Close()
	entries, err := readDir(top, rel)
	if err != nil {
		if info, serr := top.Stat(rel); serr == nil && !info.IsDir() {
			return nil, notListable(dir)
		}
		return nil, escapeError(dir, err)
	}
	out := make([]Entry, len(entries))
	for i, e := range entries {
		out[i] = Entry{Path: e.Name(), Dir: e.IsDir(), Link: e.Type()&fs.ModeSymlink != 0}
		if out[i].Link {
			info, err := r.Stat(filepath.Join(where.dir, rel, e.Name()))
			out[i].Dir = err == nil && info.IsDir()
		}
	}
	return out, nil
}

func notListable(dir string) error {
	return fault.New(fault.Invalid, "%s is a file, not a folder", dir)
}

// Listing writes entries as a reference to a folder shows them (SPEC 3.1):
// "[DIR] name" or "[FILE] name", one a line, no line break at the end.
func Listing(entries []Entry) string {
	var b strings.Builder
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		if e.Dir {
			b.WriteString("[DIR] ")
		} else {
			b.WriteString("[FILE] ")
		}
		b.WriteString(e.Path)
	}
	return b.String()
}

// readDir reads a folder below an open root, sorted by name.
func readDir(top *os.Root, rel string) ([]fs.DirEntry, error) {
	f, err := top.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
