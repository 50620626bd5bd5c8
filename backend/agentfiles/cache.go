// Package agentfiles keeps files for agents outside their notebooks, by the
// uuid of each: output that was too long for a model, the colours of commands,
// the last request, temporary files. It makes, finds, forgets and prunes them.
//
// What agents changed in the folder is kept by package checkpoint. A uuid given
// here is one that is its notebook's own; "" has no files. Package workspace
// calls it.
package agentfiles

import (
	"fmt"
	"os"
	"path/filepath"
)

// cacheFolder is where the program keeps what it can do without: the one that was chosen,
// else "mutsumi" in the system's cache folder of this person. It is "" where
// there is none.
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

// outputs is where the output of all notebooks lies that was too long for a model.
func (c cacheFolder) outputs() string { return c.in("output") }

// requests is where the last request of each notebook is kept.
func (c cacheFolder) requests() string { return c.in("requests") }

// temp is where the temporary files of all agents' commands lie. A folder that
// somebody else made, or may write, is an error.
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
