package files

import (
	"errors"
	"io/fs"
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

// Usable returns why a folder cannot be opened: it does not exist, is a file, or the person may not
// look into it. Otherwise it returns nil.
func Usable(folder string) error {
	info, err := os.Stat(folder)
	if err == nil && info.IsDir() {
		if _, err = os.Lstat(folder + string(filepath.Separator) + "."); err == nil {
			var d *os.File
			if d, err = os.Open(folder); err == nil {
				d.Close()
			}
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "open %s: you may not look into it: change its permissions, or open another folder", folder)
	case err != nil:
		return fault.New(fault.NotFound, "open %s: there is no such folder", folder)
	case !info.IsDir():
		return fault.New(fault.NotFound, "open %s: it is a file, not a folder", folder)
	}
	return nil
}
