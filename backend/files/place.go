package files

import "path/filepath"

// Absolute is the place of a path as an agent names it that works in a folder,
// absolute, there or not. A file URI is taken too.
func Absolute(folder, name string) string {
	path, err := FromURI(name)
	if err != nil {
		path = name
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, filepath.FromSlash(path))
}

// Real is a path with its links followed, and as it is where that cannot be done.
func Real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}
