// Package agentfiles stores files for agents outside their notebooks, by uuid: output that was too
// long for a model, the colours of commands, the last request, temporary files. It creates, finds,
// forgets and prunes them.
//
// Package checkpoint stores what agents changed in the folder. A uuid given here must be its
// notebook's own; "" has no files. Package workspace calls it.
package agentfiles

import (
	"fmt"
	"os"
	"path/filepath"
)

// cacheFolder is the folder for dispensable files: the chosen one, otherwise "mutsumi" in this
// person's system cache folder. It is "" if there is none.
type cacheFolder string

func newCacheFolder(dir string) cacheFolder {
	if dir != "" {
		return cacheFolder(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return cacheFolder(filepath.Join(base, "mutsumi"))
}

// in returns a folder below the cache folder; without one a folder of the
// system's for temporary files that is this person's alone.
func (c cacheFolder) in(name string) string {
	if c == "" {
		return filepath.Join(systemTemp(), name)
	}
	return filepath.Join(string(c), name)
}

// outputs is the folder for long output of all notebooks.
func (c cacheFolder) outputs() string { return c.in("output") }

// requests is where the last request of each notebook is kept.
func (c cacheFolder) requests() string { return c.in("requests") }

// temp is the folder for temporary files of all agents' commands. A folder that somebody else
// created, or may write, is an error.
func (c cacheFolder) temp() (string, error) {
	if c != "" {
		if dir := filepath.Join(string(c), "tmp"); ownFolder(dir) == nil {
			return dir, nil
		}
	}
	dir := systemTemp()
	return dir, ownFolder(dir)
}

func systemTemp() string { return filepath.Join(os.TempDir(), fmt.Sprintf("mutsumi-%d", os.Getuid())) }
