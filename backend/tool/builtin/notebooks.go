package builtin

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/files"
)

// Names of files that belong to agents and not to the person's work.
const (
	ownFolder   = ".mutsumi"
	notebookExt = ".mtm"
	tempPrefix  = ".mutsumi-"
	tempExt     = ".tmp"
)

// leavesOut returns a function that reports which files a search below a folder omits: notebooks,
// so that agents do not read each other, or themselves, by accident, and the temporary files of
// saves. A search that names them finds them: notebooks if it begins in .mutsumi or its pattern
// names mtm, temporary files if the pattern names them.
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
