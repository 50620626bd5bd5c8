package notebook

import (
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"mutsumi/backend/fault"
	"mutsumi/backend/halves"
	"mutsumi/backend/unzeroed"
)

// OpenRegular opens a file for reading and refuses, as Invalid, anything but a regular file. It
// never waits: a pipe in place of a notebook does not block.
func OpenRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path) // first: opening a device may do something
	if err != nil {
		return nil, nil, err
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil { // it may be another one by now
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func regular(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fault.New(fault.Invalid, "this is not a file")
	}
	return nil
}

// ReadText returns the text of a file, whatever its content, and the stamp of the version read. A
// missing file is NotFound; one that is not regular, or too large, is Invalid.
func ReadText(path string) ([]byte, Stamp, error) {
	data, stamp, err := read(path)
	if err != nil {
		return nil, Stamp{}, diskFault(err)
	}
	stamp.sum = sumOf(data)
	return data, stamp, nil
}

func sumOf(data []byte) uint64 { return maphash.Bytes(hashSeed, data) }

// read returns a regular file's content as it was at one moment. The stamp lacks its sum, which
// callers compute concurrently.
func read(path string) (data []byte, stamp Stamp, err error) {
	stamp, err = steady(path, func(f *os.File, size int64) (int64, uint64, error) {
		data = unzeroed.Bytes(int(size) + 1) // and one: the end is found without growing
		if large := data[:size]; readLarge(f, large) {
			data = large
		}
		for { // the rest
			n, err := f.Read(data[len(data):cap(data)])
			data = data[:len(data)+n]
			if err == io.EOF {
				return int64(len(data)), 0, nil
			}
			if err != nil {
				return 0, 0, err
			}
			if len(data) == cap(data) {
				data = append(data, 0)[:len(data)]
			}
		}
	})
	if err != nil {
		return nil, Stamp{}, err
	}
	return data, stamp, nil
}

// readFrom is the size in bytes from which two goroutines read a file.
const readFrom = 1 << 20

// readLarge reads the first bytes of a large file into data, and sets the file's offset behind them.
// If it reports false, the file is not large or not what it was, and has to be read from its start.
func readLarge(f *os.File, data []byte) bool {
	if len(data) < readFrom {
		return false
	}
	var whole atomic.Int64
	halves.Do(len(data), readFrom, func(from, to int) {
		n, _ := f.ReadAt(data[from:to], int64(from))
		whole.Add(int64(n))
	})
	if int(whole.Load()) != len(data) {
		return false
	}
	_, err := f.Seek(int64(len(data)), io.SeekStart)
	return err == nil
}

// hashFile returns the stamp of a regular file without its content in memory: a
// notebook that streams is checked before every save.
func hashFile(path string) (Stamp, error) {
	return steady(path, func(f *os.File, _ int64) (int64, uint64, error) {
		var hash maphash.Hash
		hash.SetSeed(hashSeed)
		n, err := io.Copy(&hash, f)
		return n, hash.Sum64(), err
	})
}

// steady calls take, which reads the file and returns its size and sum, until the
// file was one version all the while, and returns the stamp of that.
func steady(path string, take func(f *os.File, size int64) (int64, uint64, error)) (Stamp, error) {
	for try := 0; ; try++ {
		stamp, same, err := takeOnce(path, take)
		if err != nil || same || try == 5 {
			return stamp, err
		}
	}
}

func takeOnce(path string, take func(f *os.File, size int64) (int64, uint64, error)) (stamp Stamp, same bool, err error) {
	f, info, err := OpenRegular(path)
	if err != nil {
		return Stamp{}, false, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return Stamp{}, false, fault.New(fault.Invalid, "the file is larger than 1 GB")
	}
	size, sum, err := take(f, info.Size())
	if err != nil {
		return Stamp{}, false, err
	}
	after, err := os.Stat(path)
	if err != nil {
		return Stamp{}, false, err
	}
	return stampOf(after, sum), sameVersion(info, after) && size == info.Size(), nil
}

// sameVersion reports whether nothing about a file changed.
func sameVersion(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && inode(a) == inode(b) && b.Mode().IsRegular()
}
