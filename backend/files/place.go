package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"mutsumi/backend/fault"
)

// Resolve returns the place that a person or a model names, by a path, relative to the folder or
// absolute, or by a file URI: a clean absolute path. It does not look at the disk. A name that no
// file can have is Invalid.
func Resolve(folder, name string) (string, error) {
	p, err := FromURI(name)
	if err != nil {
		return "", err
	}
	if p == "" {
		return "", fault.New(fault.Invalid, "the path is empty")
	}
	if strings.ContainsRune(p, 0) {
		return "", fault.New(fault.Invalid, "path %q holds a NUL byte", name)
	}
	p = filepath.FromSlash(p)
	if runtime.GOOS == "windows" && !filepath.IsAbs(p) && (filepath.VolumeName(p) != "" || os.IsPathSeparator(p[0])) {
		return "", fault.New(fault.Invalid, "path %q depends on a drive: write it as C:/path", name)
	}
	if runtime.GOOS == "windows" && strings.Contains(p[len(filepath.VolumeName(p)):], ":") {
		return "", fault.New(fault.Invalid, "path %q holds a colon, which names a hidden stream of a file", name)
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(folder, p)
	}
	return filepath.Clean(p), nil
}

// Absolute is Resolve that cannot fail: a name that is invalid is taken for a path.
func Absolute(folder, name string) string {
	if p, err := Resolve(folder, name); err == nil {
		return p
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(folder, filepath.FromSlash(name))
}

// Real is a path with its links followed, and as it is where that cannot be done.
func Real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}
