package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Reader opens many files of a set quickly: it resolves each folder once, and keeps it open. Every
// file that it opens is in the set, as with Roots.Open. It is for one goroutine, which closes it.
type Reader struct {
	roots   *Roots
	folders map[string]*openFolder // by absolute path, nil for one without a shortcut
	last    found                  // the last file found and not opened yet: most files are described first
}

// found is a regular file of the set.
type found struct {
	path string // as requested
	real string // links resolved
	in   *openFolder
	info fs.FileInfo
}

// openFolder is a folder of the set.
type openFolder struct {
	real string // links resolved
	dir  *os.Root
}

// maxFolders is how many folders a Reader keeps open at most.
const maxFolders = 64

// Reader returns a Reader of the set.
func (r *Roots) Reader() *Reader { return &Reader{roots: r, folders: map[string]*openFolder{}} }

// Close closes the folders. The Reader stays usable.
func (rd *Reader) Close() {
	for _, f := range rd.folders {
		if f != nil {
			f.dir.Close()
		}
	}
	clear(rd.folders)
	rd.last = found{}
}

// Stat describes a regular file that the set allows. real is its path with links resolved. ok is
// false for anything else, which Open describes.
func (rd *Reader) Stat(path string) (real string, info fs.FileInfo, ok bool) {
	rd.last, ok = rd.find(path)
	return rd.last.real, rd.last.info, ok
}

// Open is Roots.Open, and also describes the opened file.
func (rd *Reader) Open(path string) (*os.File, fs.FileInfo, error) {
	at, ok := rd.last, rd.last.in != nil && rd.last.path == path
	rd.last = found{}
	if !ok {
		at, ok = rd.find(path)
	}
	if !ok {
		return rd.openElsewhere(path)
	}
	f, err := at.in.dir.OpenFile(filepath.Base(at.real), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return rd.openElsewhere(path)
	}
	info, err := opened(f, path)
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(info, at.info) { // another one came, maybe through a link
		f.Close()
		return rd.openElsewhere(path)
	}
	return f, info, nil
}

func (rd *Reader) openElsewhere(path string) (*os.File, fs.FileInfo, error) {
	f, err := rd.roots.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// find finds a regular file through its folder; it does not find links and files outside the set.
func (rd *Reader) find(path string) (found, bool) {
	p, err := rd.roots.absolute(path)
	if err != nil {
		return found{}, false
	}
	in := rd.folder(filepath.Dir(p))
	if in == nil {
		return found{}, false
	}
	name := filepath.Base(p)
	real := filepath.Join(in.real, name)
	if _, _, allowed := rd.roots.find(real); !allowed || special(real) {
		return found{}, false
	}
	info, err := in.dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return found{}, false
	}
	return found{path, real, in, info}, true
}

func (rd *Reader) folder(dir string) *openFolder {
	f, known := rd.folders[dir]
	if known {
		return f
	}
	if len(rd.folders) >= maxFolders {
		rd.Close()
	}
	f = rd.open(dir)
	rd.folders[dir] = f
	return f
}

func (rd *Reader) open(dir string) *openFolder {
	where, rel, err := rd.roots.locate(dir)
	if err != nil || where.file != "" {
		return nil
	}
	root, err := os.OpenRoot(where.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	inner, err := root.OpenRoot(rel)
	if err != nil {
		return nil
	}
	return &openFolder{filepath.Join(where.dir, rel), inner}
}
