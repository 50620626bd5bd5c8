package notebook

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mutsumi/backend/fault"
)

// Stamp tells one version of a file from another. The zero Stamp is that of a
// file that is not there.
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

// Load reads a notebook and the stamp of what it read. When the file is no
// notebook, the error holds a *DamagedError and the Stamp is good all the same.
// A file that is not there is NotFound.
func Load(path string) (*Document, Stamp, error) {
	data, stamp, err := read(path)
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("load notebook %s: %w", filepath.Base(path), diskFault(err))
	}
	d, err := Parse(data)
	if err != nil {
		return nil, stamp, fmt.Errorf("load notebook %s: %w", filepath.Base(path), err)
	}
	return d, stamp, nil
}

// read gives a regular file's content as it was at one moment.
func read(path string) (data []byte, stamp Stamp, err error) {
	stamp, err = steady(path, func() (int64, uint64, error) {
		data, err = os.ReadFile(path)
		return int64(len(data)), maphash.Bytes(idSeed, data), err
	})
	if err != nil {
		return nil, Stamp{}, err
	}
	return data, stamp, nil
}

// look gives the stamp of a regular file without its content in memory: a
// notebook that streams is looked at before every save.
func look(path string) (Stamp, error) {
	return steady(path, func() (int64, uint64, error) {
		f, err := os.Open(path)
		if err != nil {
			return 0, 0, err
		}
		defer f.Close()
		var hash maphash.Hash
		hash.SetSeed(idSeed)
		n, err := io.Copy(&hash, f)
		return n, hash.Sum64(), err
	})
}

// steady calls take, which reads the file and gives its size and sum, until the
// file was one version all the while, and gives the stamp of that.
func steady(path string, take func() (size int64, sum uint64, err error)) (Stamp, error) {
	for try := 0; ; try++ {
		info, err := os.Stat(path) // before opening: a pipe would block
		if err != nil {
			return Stamp{}, err
		}
		if !info.Mode().IsRegular() {
			return Stamp{}, fault.New(fault.Invalid, "this is no file")
		}
		if info.Size() > maxFile {
			return Stamp{}, fault.New(fault.Invalid, "the file is larger than 1 GB")
		}
		size, sum, err := take()
		if err != nil {
			return Stamp{}, err
		}
		after, err := os.Stat(path)
		if err != nil {
			return Stamp{}, err
		}
		same := after.Size() == info.Size() && after.ModTime().Equal(info.ModTime()) && inode(after) == inode(info) && size == info.Size()
		if same || try == 5 {
			return stampOf(after, sum), nil
		}
	}
}

// Changed reports whether the file is another one than known. The error is
// NotFound when it is gone.
func Changed(path string, known Stamp) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return true, fmt.Errorf("look at %s: %w", filepath.Base(path), diskFault(err))
	}
	if known.sameFile(info) {
		return false, nil
	}
	if known == (Stamp{}) || info.Size() != known.size {
		return true, nil
	}
	now, err := look(path)
	if err != nil {
		return true, fmt.Errorf("look at %s: %w", filepath.Base(path), diskFault(err))
	}
	return now.sum != known.sum || now.size != known.size, nil
}

// Save replaces a file by a snapshot, whole or not at all, and gives its stamp
// (SPEC 1.4). expect is the stamp of the version that the snapshot stems from,
// or the zero Stamp for a file that must not be there yet; when the disk holds
// something else the error is a Conflict and the file is as it was. A link is
// followed and stays; the file keeps its mode. A full disk, a read-only folder
// and the like leave the old file as it was and say so.
func Save(path string, s io.WriterTo, expect Stamp) (Stamp, error) {
	stamp, err := save(path, s, expect)
	if err != nil {
		return Stamp{}, fmt.Errorf("save %s: %w", filepath.Base(path), diskFault(err))
	}
	return stamp, nil
}

func save(path string, s io.WriterTo, expect Stamp) (Stamp, error) {
	target, err := followLinks(path)
	if err != nil {
		return Stamp{}, err
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if expect != (Stamp{}) {
			return Stamp{}, fault.New(fault.Conflict, "the file was deleted or moved meanwhile")
		}
	case err != nil:
		return Stamp{}, err
	case info.Mode().Perm()&0o200 == 0:
		return Stamp{}, fault.New(fault.Denied, "the file is read-only")
	default:
		if changed, err := Changed(target, expect); err != nil {
			return Stamp{}, err
		} else if changed {
			return Stamp{}, fault.New(fault.Conflict, "the file was changed by another program meanwhile")
		}
	}
	temp, sum, err := writeTemp(filepath.Dir(target), s, info)
	if err != nil {
		return Stamp{}, err
	}
	defer os.Remove(temp) // fails, as it should, once the file has its name
	if info == nil {
		err = place(temp, target)
	} else {
		err = os.Rename(temp, target)
	}
	if errors.Is(err, fs.ErrExist) {
		return Stamp{}, fault.New(fault.Conflict, "another program made this file meanwhile")
	} else if err != nil {
		return Stamp{}, err
	}
	syncDir(filepath.Dir(target))
	if info, err = os.Stat(target); err != nil {
		return Stamp{}, err
	}
	return stampOf(info, sum), nil
}

// followLinks gives the file that a chain of links leads to, there or not.
func followLinks(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // what is wrong with it shows when it is opened
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
	return "", fault.New(fault.Invalid, "the file is a link that leads round in a circle")
}

// writeTemp writes a hidden file in the folder, synced to disk, with mode and
// owner of the file that it will replace, if there is one.
func writeTemp(dir string, s io.WriterTo, old fs.FileInfo) (temp string, sum uint64, err error) {
	cleanTemps(dir)
	f, err := createTemp(dir)
	if err != nil {
		return "", 0, err
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if old != nil {
		keepOwner(f, old)
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return "", 0, err
		}
	}
	var hash maphash.Hash
	hash.SetSeed(idSeed)
	if _, err := s.WriteTo(io.MultiWriter(f, &hash)); err != nil {
		return "", 0, err
	}
	if err := f.Sync(); err != nil {
		return "", 0, err
	}
	return f.Name(), hash.Sum64(), f.Close()
}

// place gives a temporary file its name unless something has that already.
func place(temp, target string) error {
	err := os.Link(temp, target)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(target); err == nil { // a file system without links
		return fs.ErrExist
	}
	return os.Rename(temp, target)
}

// SaveAside writes content beside a file under a name of its own, never over
// another: `plan (conflict 2026-11-21 10.15).mtm`. It gives the new path.
func SaveAside(path, label string, at time.Time, content io.WriterTo) (string, error) {
	dir, base := filepath.Dir(path), filepath.Base(path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	temp, _, err := writeTemp(dir, content, nil)
	if err != nil {
		return "", fmt.Errorf("save a copy of %s: %w", base, diskFault(err))
	}
	defer os.Remove(temp)
	note := label + " " + at.Format("2006-01-02 15.04")
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s (%s)%s", stem, note, filepath.Ext(base))
		if n > 1 {
			name = fmt.Sprintf("%s (%s) %d%s", stem, note, n, filepath.Ext(base))
		}
		aside := filepath.Join(dir, name)
		switch err := place(temp, aside); {
		case err == nil:
			syncDir(dir)
			return aside, nil
		case !errors.Is(err, fs.ErrExist) || n == 1000:
			return "", fmt.Errorf("save a copy of %s: %w", base, diskFault(err))
		}
	}
}

// diskFault says what a person can do about an error of the disk.
func diskFault(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "the file or its folder is not there any more").Because(err)
	case errors.Is(err, syscall.ENOSPC) || isQuota(err):
		return fault.New(fault.Internal, "the disk is full; the file is as it was, and what is not saved is still open here: make room and save again").Because(err)
	case errors.Is(err, syscall.EFBIG):
		return fault.New(fault.Internal, "the file would be larger than the system allows; it is as it was, and what is not saved is still open here").Because(err)
	case errors.Is(err, syscall.EROFS):
		return fault.New(fault.Denied, "the disk is read-only; what is not saved is still open here: save a copy somewhere else").Because(err)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "the file or its folder does not allow it; what is not saved is still open here: change its permissions or save a copy somewhere else").Because(err)
	}
	return err
}
