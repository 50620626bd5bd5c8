package documents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"mutsumi/backend/access"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
)

// folder resolves the paths of the notebooks in a folder.
type folder struct {
	root  string                 // absolute
	named atomic.Pointer[string] // Options.Named, see Outside
}

// Resolve returns the file of a path from the interface. The error is Invalid unless it
// names a notebook inside the folder, links followed.
func (f *folder) Resolve(path string) (string, error) {
	if f.Outside() != "" && path == f.PathOf(f.Outside()) {
		return f.Outside(), nil
	}
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) || !IsNotebook(path) {
		return "", fault.New(fault.Denied, "%q is not a notebook of this folder", path)
	}
	file := filepath.Join(f.root, local)
	if !f.StaysInside(file) {
		if _, err := os.Stat(f.root); errors.Is(err, fs.ErrNotExist) {
			return "", fault.New(fault.Denied, "the folder %s is not there any more: put it back, or open it where it is", f.root)
		}
		return "", fault.New(fault.Denied, "%s is, or is behind, a link that leads out of the folder", path)
	}
	return file, nil
}

// StaysInside reports whether a path, with links followed, is inside the folder, whether or not it
// exists.
func (f *folder) StaysInside(file string) bool {
	own, err := files.New(f.root, []string{access.WholeFolder})
	return err == nil && own.Allowed(file)
}

// PathOf names a file as the interface does: relative to the folder, with slashes.
func (f *folder) PathOf(file string) string {
	rel, err := filepath.Rel(f.root, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// Outside returns the notebook that was named on the command line, "" for none.
func (f *folder) Outside() string { return *f.named.Load() }

// notebookFiles lists the notebooks of the folder, and those next to a notebook that was named on
// the command line.
func (f *folder) notebookFiles() []string {
	found := f.notebooksInside()
	if outside := f.Outside(); outside != "" { // its family is next to it
		entries, _ := os.ReadDir(filepath.Dir(outside))
		for _, e := range entries {
			if file := filepath.Join(filepath.Dir(outside), e.Name()); IsNotebook(e.Name()) && !slices.Contains(found, file) {
				found = append(found, file)
			}
		}
	}
	return found
}

func (f *folder) notebooksInside() (found []string) {
	filepath.WalkDir(f.root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // ignore what cannot be read
		case e.IsDir() && file != f.root && skipsFolder(e.Name()):
			return filepath.SkipDir
		case !e.IsDir() && IsNotebook(f.PathOf(file)):
			found = append(found, file)
		}
		return nil
	})
	return found
}

// linkedTo returns the path and the file that symbolic links lead to.
func (f *folder) linkedTo(path, file string) (string, string) {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return path, file // not there
	}
	root, err := filepath.EvalSymlinks(f.root)
	if err != nil {
		return path, file
	}
	rel, err := filepath.Rel(root, target)
	if err != nil || !filepath.IsLocal(rel) {
		return path, file
	}
	own := filepath.ToSlash(rel)
	folders := strings.Split(own, "/")
	if own == path || !IsNotebook(own) || slices.ContainsFunc(folders[:len(folders)-1], skipsFolder) {
		return path, file
	}
	return own, filepath.Join(f.root, rel)
}

// IsNotebook reports whether a path, by its name, is that of a notebook.
func IsNotebook(rel string) bool {
	return strings.HasSuffix(rel, ".mtm") && !strings.HasPrefix(filepath.Base(rel), ".")
}

// skipsFolder reports whether a folder is not scanned for notebooks: hidden ones except our own,
// and those filled by tools, such as node_modules.
func skipsFolder(name string) bool {
	return name == "node_modules" || strings.HasPrefix(name, ".") && name != ".mutsumi"
}
