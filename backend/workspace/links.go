package workspace

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/fault"
)

// mainName gives the path and the file by which a notebook is known: one file
// is one document, and one agent of the tree, whatever links lead to it. A file
// that the tree does not show by its own name is known by that of the link.
func (w *Workspace) mainName(path, file string) (string, string) {
	if file == w.outside() {
		return path, file
	}
	return w.mainLink(w.linkedTo(path, file))
}

// linkedTo follows symbolic links.
func (w *Workspace) linkedTo(path, file string) (string, string) {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return path, file // not there
	}
	root, err := filepath.EvalSymlinks(w.folder)
	if err != nil {
		return path, file
	}
	rel, err := filepath.Rel(root, target)
	if err != nil || !filepath.IsLocal(rel) {
		return path, file
	}
	own := filepath.ToSlash(rel)
	folders := strings.Split(own, "/")
	if own == path || !isNotebook(own) || slices.ContainsFunc(folders[:len(folders)-1], skipsFolder) {
		return path, file
	}
	return own, filepath.Join(w.folder, rel)
}

// notText is what the tree says of a notebook whose name cannot cross to the
// interface.
const notText = "the name of this file is no text (it is not UTF-8): give it another name, then it can be opened"

// knownName refuses a name in which something stands for bytes that are no text.
func knownName(path, file string) error {
	if strings.ContainsRune(path, utf8.RuneError) && isGone(file) {
		return fault.New(fault.Invalid, "Could not open %s: %s", path, notText)
	}
	return nil
}
