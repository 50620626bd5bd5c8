package notebook

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Temporary files are called `.mutsumi-PID-RANDOM.tmp`: hidden, so that nobody takes them for
// notebooks. Their process holds a lock on them until they have their name; where the disk has no
// locks, the process number identifies files of dead processes.
const (
	tempPrefix = ".mutsumi-"
	tempSuffix = ".tmp"
	// tempAge protects files of a process that only looks dead, because it
	// runs on another machine that shares the folder.
	tempAge = 10 * time.Second
)

// tempFile is a whole file on the disk that has no name of its own yet.
type tempFile struct {
	name  string
	file  *os.File // holds the lock; nil where an open file cannot be renamed
	info  fs.FileInfo
	stamp Stamp
}

// writeTemp writes a hidden file in the folder, synced to disk, with mode and
// owner of the file that it will replace, if there is one.
func writeTemp(dir string, s io.WriterTo, old fs.FileInfo) (*tempFile, error) {
	cleanTemps(dir)
	f, err := createTemp(dir)
	if err != nil {
		return nil, err
	}
	t := &tempFile{name: f.Name(), file: f}
	if err := t.write(s, old); err != nil {
		t.remove()
		return nil, err
	}
	return t, nil
}

func (t *tempFile) write(s io.WriterTo, old fs.FileInfo) error {
	if old != nil {
		keepOwner(t.file, old)
		if err := t.file.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	var hash maphash.Hash
	hash.SetSeed(hashSeed)
	if _, err := s.WriteTo(io.MultiWriter(t.file, &hash)); err != nil {
		return err
	}
	err := t.file.Sync()
	if err != nil {
		return err
	}
	// From here on its times stay: a version that others write into it later, under its name, must
	// not be taken for this one.
	if t.info, err = t.file.Stat(); err != nil {
		return err
	}
	t.stamp = stampOf(t.info, hash.Sum64())
	return t.closeEarly()
}

// remove closes the file and deletes it, unless it has its name.
func (t *tempFile) remove() {
	t.close()
	os.Remove(t.name) // fails, as it should, once the file has its name
}

func (t *tempFile) close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// place gives the file its name unless something has that already: then the
// error is fs.ErrExist.
func (t *tempFile) place(target string) error {
	switch err := renameNew(t.name, target); {
	case err == nil, errors.Is(err, fs.ErrExist):
		return err
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	err := os.Link(t.name, target)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(target); err == nil { // a file system without links
		return fs.ErrExist
	}
	return os.Rename(t.name, target)
}

func createTemp(dir string) (*os.File, error) {
	f, err := os.OpenFile(tempName(dir), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		tryLock(f)
	}
	return f, err
}

// cleanTemps removes what dead processes left in a folder. Errors do not
// matter: it is tried again with the next save.
func cleanTemps(dir string) {
	left, _ := filepath.Glob(filepath.Join(globQuote(dir), tempPrefix+"*-*"+tempSuffix))
	for _, name := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), tempPrefix), "-")
		if id, err := strconv.Atoi(pid); err != nil || id <= 0 {
			continue
		} else if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > tempAge && abandoned(name, id) {
			os.Remove(name)
		}
	}
}

// globQuote keeps a folder's name from being read as a pattern.
func globQuote(dir string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(dir)
}
