package notebook

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/fault"
)

// A program that has the file open may be about to write into it: it is waited
// for so long, in steps.
const (
	writerTime = 100 * time.Millisecond
	writerStep = 5 * time.Millisecond
)

// replace gives the file the name of target, which was seen before. If another file has taken
// target's place in the meantime, it is not lost: it is restored or put next to target, and the
// error is a Conflict.
func (t *tempFile) replace(target string, seen Stamp) error {
	if info, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return errGone
	} else if err != nil {
		return err
	} else if !seen.looksLike(info) {
		return errChanged
	}
	guard := holdFile(target)
	defer guard.Close()
	switch err := exchange(t.name, target); {
	case errors.Is(err, errors.ErrUnsupported):
		return t.replaceLinked(target, seen)
	case errors.Is(err, fs.ErrNotExist):
		return errGone
	case err != nil:
		return err
	}
	// The file has its name; the replaced file has the temporary name.
	if replaced(t.name, seen) {
		return nil
	}
	if err := exchange(t.name, target); err == nil {
		return t.putBack(target)
	}
	// It cannot go back where it was.
	return t.spare(target)
}

// putBack is called when a foreign version has target's name again.
func (t *tempFile) putBack(target string) error {
	t.close() // it was open for writing here
	if info, err := os.Lstat(t.name); err == nil && sameVersion(t.info, info) && !beingWritten(t.name) {
		return errChanged
	}
	// For a moment our version had the name, and somebody wrote over that: the
	// newer one is to have the name.
	_ = exchange(t.name, target) // either way both are kept
	return t.spare(target)
}

// spare puts the file with the temporary name next to target.
func (t *tempFile) spare(target string) error {
	if _, err := t.placeAside(target, "from disk", time.Now()); err != nil {
		kept := filepath.Join(filepath.Dir(target), ".from-disk-"+rand.Text()[:10]+".mtm")
		if os.Rename(t.name, kept) != nil {
			kept, t.name = t.name, "" // it stays where it is
		}
		return fault.New(fault.Conflict, "another program wrote the file meanwhile; its version is kept in the hidden file %s", filepath.Base(kept)).Because(err)
	}
	return errChanged
}

// replaceLinked is replace on a disk that cannot exchange two files: a link keeps the replaced
// file.
func (t *tempFile) replaceLinked(target string, seen Stamp) error {
	old := &tempFile{name: t.name + "-old" + tempSuffix}
	linked := os.Link(target, old.name) == nil
	if linked {
		defer old.remove()
		if info, err := os.Lstat(old.name); err != nil || !seen.looksLike(info) {
			return errChanged
		}
	}
	if err := os.Rename(t.name, target); err != nil {
		return err
	}
	if linked && !replaced(old.name, seen) {
		return old.spare(target)
	}
	return nil
}

// looksLike reports whether info shows the version of s, as far as that can be determined without
// reading the file.
func (s Stamp) looksLike(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && s.size == info.Size() && s.modNs == info.ModTime().UnixNano() && s.inode == inode(info)
}

// replaced reports whether the replaced file is the seen version, and no process is about to write
// into it.
func replaced(name string, seen Stamp) bool {
	for end := time.Now().Add(writerTime); ; time.Sleep(writerStep) {
		info, err := os.Lstat(name)
		if err != nil || !seen.looksLike(info) {
			return false
		}
		if !beingWritten(name) {
			break
		}
		if time.Now().After(end) { // open, and nothing comes
			break
		}
	}
	if !seen.settled {
		now, err := hashFile(name)
		return err == nil && now.sum == seen.sum
	}
	info, err := os.Lstat(name)
	return err == nil && seen.looksLike(info)
}
