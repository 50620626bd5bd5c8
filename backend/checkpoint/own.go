package checkpoint

import (
	"path/filepath"
	"slices"
	"strings"
)

// leftAlone reports whether a path is never kept, planned or restored:
// notebooks, whose text other agents and the person write and which have an
// undo of their own, and the temporary files of saves.
func leftAlone(path string) bool {
	name := filepath.Base(path)
	return strings.EqualFold(filepath.Ext(name), ".mtm") || strings.HasPrefix(name, ".mutsumi-") && strings.HasSuffix(name, ".tmp")
}

// skips reports whether a path, relative to a work tree and with slashes, is
// not compared around a command: what is left alone, and the folder where the
// program keeps what belongs to agents. A tool's own write there is kept.
func skips(rel string) bool {
	return leftAlone(rel) || slices.Contains(strings.Split(rel, "/"), ".mutsumi")
}
