package documents

import (
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

// folder is where the notebooks lie.
type folder struct {
	root  string                 // absolute
	named atomic.Pointer[string] // Options.Named, see Outside
}

// Resolve checks a path that came from the interface: a notebook inside the
// folder, links included.
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
		return "", fault.New(fault.Denied, "%s is, or is behind, a link that leads out of the folder", path)
	}
	return file, nil
}

// StaysInside reports whether a path leads, links followed, to a place in the
// folder, whether there is something or not.
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

// Outside is the notebook that was named on the command line, wherever it is.
func (f *folder) Outside() string { return *f.named.Load() }

// notebookFiles lists the notebooks of the folder, and those beside one that
// was named on the command line.
func (f *folder) notebookFiles() []string {
	found := f.notebooksInside()
	if outside := f.Outside(); outside != "" { // its family lies beside it
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
			return nil // what cannot be read is not known
		case e.IsDir() && file != f.root && skipsFolder(e.Name()):
			return filepath.SkipDir
		case !e.IsDir() && IsNotebook(f.PathOf(file)):
			found = append(found, file)
		}
		return nil
	})
	return found
}

// linkedTo follows symbolic links.
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

// skipsFolder names the folders in which no notebooks are looked for: hidden
// ones but our own, and those that tools fill with other people's files.
func skipsFolder(name string) bool {
	return name == "node_modules" || strings.HasPrefix(name, ".") && name != ".mutsumi"
}
