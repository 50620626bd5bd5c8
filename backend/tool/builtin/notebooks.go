package builtin

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/files"
)

// Names of what belongs to agents and not to the person's work.
const (
	ownFolder   = ".mutsumi"
	notebookExt = ".mtm"
	tempPrefix  = ".mutsumi-"
	tempExt     = ".tmp"
)

// leavesOut says which files a search below a folder leaves out: notebooks, so
// that agents do not read each other, or themselves, by accident, and the
// temporary files of saves. Asking for them by name finds them: notebooks in
// a search that begins in .mutsumi or whose pattern names mtm, temporary
// files with a pattern that names them.
func leavesOut(r *files.Roots, dir, pattern string) func(name string) bool {
	notebooks := inOwnFolder(r, dir) || strings.Contains(pattern, notebookExt[1:])
	temps := strings.Contains(pattern, tempPrefix)
	return func(name string) bool {
		name = path.Base(name)
		if strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempExt) {
			return !temps
		}
		return !notebooks && isNotebook(name)
	}
}

func isNotebook(name string) bool { return strings.EqualFold(path.Ext(name), notebookExt) }

// inOwnFolder reports whether a folder is .mutsumi, or below it, as seen from
// the workspace.
func inOwnFolder(r *files.Roots, dir string) bool {
	at, err := r.Path(dir)
	if err != nil {
		return false
	}
	if rel, err := filepath.Rel(r.Workspace(), at); err == nil && filepath.IsLocal(rel) {
		at = rel
	}
	return slices.Contains(strings.Split(filepath.ToSlash(at), "/"), ownFolder)
}
