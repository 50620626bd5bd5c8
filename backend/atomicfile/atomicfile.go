// Package atomicfile writes files of the program itself, such as settings and state. The person's
// files are written elsewhere: package files writes inside the places that an agent may touch,
// package notebook checks for foreign versions.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Write puts data at path, whole or not at all, and makes the folders on the way:
// a temporary file in the same folder, synced and renamed, and the folder
// synced. A file keeps its permissions, a new one gets 0600. A link (as dotfile
// managers make) stays a link: its target is replaced.
func Write(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		if info, serr := os.Stat(path); serr == nil {
			err = f.Chmod(info.Mode().Perm())
		}
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	syncFolder(dir)
	return nil
}

// syncFolder makes a rename outlive a power cut; the file is whole without it,
// so that its failure is not one of the save.
func syncFolder(dir string) {
	if runtime.GOOS == "windows" {
		return
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
