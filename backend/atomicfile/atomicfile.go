// Package atomicfile writes files of the program itself, such as settings and state. The person's
// files are written elsewhere: package files writes inside the places that an agent may touch,
// package notebook checks for foreign versions.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// leftAge is the age at which a temporary file is nobody's any more: writing takes much less.
const leftAge = time.Minute

// swept has the folders whose leftovers this process removed.
var swept sync.Map

// Write puts data at path, whole or not at all, and makes the folders on the way:
// a temporary file in the same folder, synced and renamed, and the folder
// synced. A file keeps its permissions, a new one gets 0600. A link (as dotfile
// managers make) stays a link: its target is replaced. The first Write in a folder
// removes temporary files of processes that were killed in one.
func Write(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if _, done := swept.LoadOrStore(dir, true); !done {
		removeLeftovers(dir)
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

// removeLeftovers removes old temporary files that stand beside the file they were for. One that
// cannot be removed does no harm.
func removeLeftovers(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, temporary := strings.CutSuffix(e.Name(), ".tmp")
		random := strings.TrimLeft(filepath.Ext(name), ".")
		name, hidden := strings.CutPrefix(strings.TrimSuffix(name, "."+random), ".")
		if !temporary || !hidden || random == "" || strings.Trim(random, "0123456789") != "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
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
