// Package runlock ensures that one process at a time runs an agent (SPEC 11.1). A lock is a file in
// the state folder that the system locks as long as its process lives, and that records the holder
// and since when. After a crash the file remains without the system's lock, and the next holder
// takes it over.
//
// Package documents takes a lock for each run. The notebook itself names the process as well, for
// those who see only the notebook.
package runlock

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/filelock"
	"mutsumi/backend/process"
)

// patience is how long Take waits for a holder that is about to identify itself, or to release the
// lock.
const patience = time.Second

// maxHolder is how many bytes of a lock's file are read.
const maxHolder = 4 << 10

// Store is the folder of the locks. It need not exist.
type Store struct{ Dir string }

// Holder is the holder of a lock.
type Holder struct {
	Process process.ID `json:"process"`
	SinceMs int64      `json:"sinceMs"` // Unix milliseconds
}

// Lock is a lock that this process holds.
type Lock struct {
	path string
	file *os.File
}

// HeldError means that another holder has the lock. Its Holder is zero if the file does not name
// it.
type HeldError struct{ Holder Holder }

func (e *HeldError) Error() string { return "held by " + e.Holder.Process.String() }

// path returns the file of the lock of a notebook: by its uuid, so that a rename changes
// nothing, and by its folder, since copies of a folder have the same uuids.
func (s Store) path(notebook, uuid string) string {
	dir := filepath.Dir(notebook)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + uuid))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".lock")
}

// Holder returns the other process that holds the lock of the notebook at an absolute path; nil:
// none, as far as can be seen without trying.
func (s Store) Holder(notebook, uuid string) *Holder {
	f, err := os.Open(s.path(notebook, uuid))
	if err != nil {
		return nil
	}
	defer f.Close()
	h := read(f)
	if h == nil || h.Process.IsSelf() || !h.Process.Lives() {
		return nil
	}
	return h
}

// Take takes the lock of the notebook at an absolute path. left is the process that held it and
// ended without releasing it, nil for none. The error is a *HeldError while another holder has it,
// and Internal if the disk supports no locks.
func (s Store) Take(notebook, uuid string) (l *Lock, left *Holder, err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, nil, fault.New(fault.Internal, "Could not make the folder of locks: %w", err)
	}
	path := s.path(notebook, uuid)
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		l, left, err = take(path)
		held, is := err.(*HeldError)
		other := is && held.Holder.Process.Lives() && !held.Holder.Process.IsSelf() // this process may be about to release it
		if !is || other || time.Now().After(end) {
			return l, left, err
		}
	}
}

// take tries to take a lock once.
func take(path string) (l *Lock, left *Holder, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, fault.New(fault.Internal, "Could not open a lock: %w", err)
	}
	defer func() {
		if l == nil {
			f.Close()
		}
	}()
	locked := filelock.Try(f)
	left = read(f)
	holder := Holder{}
	if left != nil {
		holder = *left
	}
	if locked && !isAt(f, path) {
		return nil, nil, &HeldError{} // its holder has just released it
	}
	if !locked || holder.Process.Lives() && !holder.Process.IsSelf() { // the last where the disk has no locks
		return nil, nil, &HeldError{holder}
	}
	text, err := json.Marshal(Holder{process.Self(), time.Now().UnixMilli()})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(text, 0)
	}
	if err != nil {
		return nil, nil, fault.New(fault.Internal, "Could not write a lock: %w", err)
	}
	return &Lock{path, f}, left, nil
}

// isAt reports whether an open file is the one at path: its holder removes it.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// read returns the content of a lock's file; nil: none.
func read(f *os.File) *Holder {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, maxHolder))
	var h Holder
	if err != nil || json.Unmarshal(text, &h) != nil {
		return nil
	}
	return &h
}

// Release lets the lock go.
func (l *Lock) Release() {
	if os.Remove(l.path) != nil { // Windows removes no open file
		_ = l.file.Truncate(0)
	}
	_ = l.file.Close()
}
