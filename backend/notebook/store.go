package notebook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"mutsumi/backend/fault"
)

// Stamp distinguishes versions of a file. The zero Stamp belongs to a missing file.
type Stamp struct {
	size    int64
	modNs   int64
	inode   uint64
	sum     uint64 // of the content; good within this process
	settled bool   // later changes cannot have the same time
}

// maxFile is the largest file that is read, in bytes.
const maxFile = 1 << 30

// settleNs is how coarse a file system's clock may be.
const settleNs = int64(20 * time.Millisecond)

func stampOf(info fs.FileInfo, sum uint64) Stamp {
	mod := info.ModTime().UnixNano()
	return Stamp{info.Size(), mod, inode(info), sum, time.Now().UnixNano()-mod > settleNs}
}

// sameFile reports whether info surely shows the version of s: nothing about
// the file changed, and nothing can have changed within one tick of its clock.
func (s Stamp) sameFile(info fs.FileInfo) bool {
	return s.settled && s.size == info.Size() && s.modNs == info.ModTime().UnixNano() && s.inode == inode(info)
}

// IsFile reports whether the file at path has the number of the file of s, whatever its present
// content. Numbers of removed files may be reused.
func (s Stamp) IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && s.inode != 0 && s.inode == inode(info)
}

// Load reads a notebook and returns the stamp of the version it read. When the
// file is not a notebook, the error holds a *DamagedError and the Stamp is valid.
// A file that is not there is NotFound.
func Load(path string) (*Document, Stamp, error) {
	data, stamp, err := read(path)
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("load notebook %s: %w", filepath.Base(path), diskFault(err))
	}
	sum := make(chan uint64, 1)
	go func() { sum <- sumOf(data) }()
	d, err := Parse(data)
	stamp.sum = <-sum
	if err != nil {
		return nil, stamp, fmt.Errorf("load notebook %s: %w", filepath.Base(path), err)
	}
	return d, stamp, nil
}

// Changed reports whether the file is another one than known. The error is
// NotFound when it is gone.
func Changed(path string, known Stamp) (bool, error) {
	_, changed, err := compare(path, known)
	if err != nil {
		return true, fmt.Errorf("look at %s: %w", filepath.Base(path), diskFault(err))
	}
	return changed, nil
}

// compare returns the stamp of the file's present version, and whether it differs from known. It
// reads the content only if nothing else decides.
func compare(path string, known Stamp) (now Stamp, changed bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, true, err
	}
	if known.sameFile(info) {
		return known, false, nil
	}
	if known == (Stamp{}) || info.Size() != known.size || !info.Mode().IsRegular() {
		return Stamp{}, true, nil
	}
	if now, err = hashFile(path); err != nil {
		return Stamp{}, true, err
	}
	return now, now.sum != known.sum || now.size != known.size, nil
}

// Save replaces a file by a snapshot, completely or not at all, and returns its stamp (SPEC 1.4).
// expect is the stamp of the version that the snapshot is based on, or the zero Stamp for a file
// that must not exist yet; if the disk holds another version the error is a Conflict and that
// version stays, even if it appeared while the snapshot was written. A link is followed and stays;
// the file keeps its mode. On a full disk, in a read-only folder and the like, the old file stays
// as it was and the error says so.
func Save(path string, s io.WriterTo, expect Stamp) (Stamp, error) {
	return SaveLinked(path, nil, s, expect)
}

// Why a save is refused.
var (
	errGone    = fault.New(fault.Conflict, "Could not save: the file was deleted or moved meanwhile. Put it back, or save under another name.")
	errChanged = fault.New(fault.Conflict, "Could not save: another program changed the file meanwhile. Load it again, then repeat the change.")
	errMade    = fault.New(fault.Conflict, "Could not save: another program made this file meanwhile. Choose another name.")
)

func save(path string, others []string, s io.WriterTo, expect Stamp) (Stamp, error) {
	target, err := followLinks(path)
	if err != nil {
		return Stamp{}, err
	}
	seen := Stamp{}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if expect != (Stamp{}) {
			return Stamp{}, errGone
		}
	case err != nil:
		return Stamp{}, err
	case info.IsDir():
		return Stamp{}, fault.New(fault.Invalid, "a folder has the name of the file: move it away, or give it another name")
	case info.Mode().Perm()&0o200 == 0:
		return Stamp{}, fault.New(fault.Denied, "the file is read-only")
	default:
		var changed bool
		if seen, changed, err = compare(target, expect); err != nil {
			return Stamp{}, err
		} else if changed {
			return Stamp{}, errChanged
		}
	}
	temp, err := writeTemp(filepath.Dir(target), s, info)
	if err != nil {
		return Stamp{}, err
	}
	defer temp.remove()
	if info == nil {
		err = temp.place(target)
	} else {
		err = temp.replace(target, seen)
	}
	if errors.Is(err, fs.ErrExist) {
		return Stamp{}, errMade
	} else if err != nil {
		return Stamp{}, err
	}
	syncDir(filepath.Dir(target))
	if info != nil {
		linkOthers(target, others, seen)
	}
	return temp.stamp, nil
}

// followLinks returns the file that a chain of links leads to, there or not.
func followLinks(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // opening it reports what is wrong
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fault.New(fault.Invalid, "the file is a link that leads back to itself")
}

// diskFault says what a person can do about a disk error.
func diskFault(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "the file or its folder is not there any more").Because(err)
	case errors.Is(err, syscall.ENOSPC) || isQuota(err):
		return fault.New(fault.Internal, "the disk is full, and the file is as it was: make room").Because(err)
	case errors.Is(err, syscall.EFBIG):
		return fault.New(fault.Internal, "the file would be larger than the system allows, and is as it was").Because(err)
	case errors.Is(err, syscall.EROFS):
		return fault.New(fault.Denied, "the disk is read-only").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "the file or its folder does not allow it: change its permissions").Because(err)
	}
	return err
}
