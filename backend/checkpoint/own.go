package checkpoint

import (
	"path/filepath"
	"slices"
	"strings"
)

// leftAlone reports whether a path is never kept, planned or restored: notebooks, which other
// agents and the person write and which have their own undo, and the temporary files of saves.
func leftAlone(path string) bool {
	name := filepath.Base(path)
	return strings.EqualFold(filepath.Ext(name), ".mtm") || strings.HasPrefix(name, ".mutsumi-") && strings.HasSuffix(name, ".tmp")
}

// skips reports whether a path, relative to a work tree and with slashes, is not compared around a
// command: paths that are left alone, and the folder with agents' files. A tool's own write there
// is kept.
func skips(rel string) bool {
	return leftAlone(rel) || slices.Contains(strings.Split(rel, "/"), ".mutsumi")
}
