package files

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mutsumi/backend/fault"
)

// Write replaces the content of a file inside the set, or creates it and the folders on the way.
// The new content is complete or absent: it is written to a temporary file in the same folder,
// which is synced and renamed. The file keeps its permissions; a new one gets 0644 less the umask.
func (r *Roots) Write(path string, data []byte) error {
	where, rel, err := r.locateNew(path)
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(where.dir)
	if err != nil {
		return pathError("write", path, err)
	}
	defer dir.Close()
	perm, fresh := fs.FileMode(0o644), true
	switch info, err := dir.Lstat(rel); {
	case err == nil && info.IsDir():
		return fault.New(fault.Invalid, "%s is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return fault.New(fault.Denied, "%s is not an ordinary file", path)
	case err == nil:
		perm, fresh = info.Mode().Perm(), false
	case !errors.Is(err, fs.ErrNotExist):
		return escapeError(path, err)
	}
	if err := dir.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return escapeError(path, err)
	}
	temp := filepath.Join(filepath.Dir(rel), ".mutsumi-"+token()+".tmp")
	if err := writeTemp(dir, temp, data, perm, fresh); err == nil {
		err = dir.Rename(temp, rel)
		if err == nil {
			return nil
		}
		_ = dir.Remove(temp)
		return escapeError(path, err)
	} else {
		_ = dir.Remove(temp)
		return escapeError(path, err)
	}
}

func writeTemp(dir *os.Root, temp string, data []byte, perm fs.FileMode, fresh bool) error {
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && !fresh {
		err = f.Chmod(perm) // past the umask: as the old file had it
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Mkdir creates a folder inside the set, with those on the way; an existing one is not an error.
func (r *Roots) Mkdir(path string) error {
	where, rel, err := r.locateNew(path)
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(where.dir)
	if err != nil {
		return pathError("make folder", path, err)
	}
	defer dir.Close()
	if info, err := dir.Lstat(rel); err == nil && !info.IsDir() {
		return fault.New(fault.Conflict, "%s is a file: no folder can be made there", path)
	}
	if err := dir.MkdirAll(rel, 0o755); err != nil {
		return escapeError(path, err)
	}
	return nil
}

// locateNew is locate for something that may not exist yet.
func (r *Roots) locateNew(path string) (root, string, error) {
	where, rel, err := r.locate(path)
	if err == nil || !fault.Is(err, fault.NotFound) {
		return where, rel, err
	}
	p, err := r.absolute(path)
	if err != nil {
		return root{}, "", err
	}
	// Up to what exists. A broken link on the way is not gone past: where it
	// leads is not known.
	rest := ""
	near := p
	for {
		if info, err := os.Lstat(near); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if _, err := os.Stat(near); err != nil {
				return root{}, "", fault.New(fault.Denied, "%s: %s is a link to something that is not there", path, filepath.Base(near))
			}
		}
		if real, err := filepath.EvalSymlinks(near); err == nil {
			near = real
			break
		}
		parent := filepath.Dir(near)
		if parent == near {
			return root{}, "", r.outside(path)
		}
		rest = filepath.Join(filepath.Base(near), rest)
		near = parent
	}
	where, rel, ok := r.find(near)
	if !ok || r.withheld(where, filepath.Join(near, rest)) || where.file != "" || special(near) {
		return root{}, "", r.outside(path)
	}
	if !filepath.IsLocal(rest) {
		return root{}, "", fault.New(fault.Invalid, "%s: this is not a name that a file can have here", path)
	}
	return where, filepath.Join(rel, rest), nil
}

func token() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
