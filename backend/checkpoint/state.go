package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Kind is the kind of file at a path.
type Kind string

const (
	Absent Kind = "absent"
	File   Kind = "file"
	Link   Kind = "link"   // a symbolic one
	Folder Kind = "folder" // its content has states of its own
	Other  Kind = "other"  // a pipe, a device: left alone
)

// State is the state of a path at one time.
type State struct {
	Kind   Kind        `json:"kind"`
	Mode   fs.FileMode `json:"mode,omitempty"`   // permissions of a file
	Size   int64       `json:"size,omitempty"`   // bytes
	Sum    string      `json:"sum,omitempty"`    // SHA-256 of the content; "" for a file above Limits.File
	ModNs  int64       `json:"modNs,omitempty"`  // of such a file: when it was changed
	Target string      `json:"target,omitempty"` // of a link
}

var absent = State{Kind: Absent}

// same reports whether two states are of the same thing. Permissions of
// folders do not count.
func (s State) same(o State) bool {
	if s.Kind == Folder && o.Kind == Folder {
		return true
	}
	return s == o
}

func (s State) large() bool { return s.Kind == File && s.Sum == "" }

// readState reads the state of a path, without following a link, and the content of a file of at
// most `most` bytes.
func readState(path string, most int64) (State, []byte, error) {
	for try := 0; ; try++ {
		s, content, again, err := readStateOnce(path, most)
		if err == nil && !again {
			return s, content, nil
		}
		if try == 5 {
			if err == nil {
				err = errors.New("it changes all the time")
			}
			return State{}, nil, fmt.Errorf("look at %s: %w", path, err)
		}
	}
}

func readStateOnce(path string, most int64) (s State, content []byte, again bool, err error) {
	info, err := os.Lstat(path)
	if gone(err) {
		return absent, nil, false, nil
	}
	if err != nil {
		return State{}, nil, false, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return State{Kind: Folder}, nil, false, nil
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return State{Kind: Link, Target: target}, nil, false, err
	case !mode.IsRegular():
		return State{Kind: Other}, nil, false, nil
	}
	s = State{Kind: File, Mode: info.Mode().Perm(), Size: info.Size()}
	if info.Size() > most {
		s.ModNs = info.ModTime().UnixNano()
		return s, nil, false, nil
	}
	f, err := open(path)
	if err != nil {
		return State{}, nil, gone(err), ignoreGone(err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return State{}, nil, true, err
	}
	content = make([]byte, info.Size(), info.Size()+1)
	n, err := io.ReadFull(f, content[:cap(content)])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return State{}, nil, false, err
	}
	if err == nil || int64(n) != info.Size() {
		return State{}, nil, true, nil // it grew or shrank
	}
	content = content[:n]
	s.Sum = sumOf(content)
	return s, content, false, nil
}

// open opens a file for reading. A file that has become a pipe does not block it.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func ignoreGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}

// place gives the path of something with the links of the folders on the way
// resolved, and the folders that are not there, the outermost first. What
// is at the path itself may be a link.
func place(path string) (real string, missing []string, err error) {
	if !filepath.IsAbs(path) {
		return "", nil, fmt.Errorf("%s is not an absolute path", path)
	}
	path = filepath.Clean(path)
	rest := []string{filepath.Base(path)}
	dir := filepath.Dir(path)
	for {
		if real, err = filepath.EvalSymlinks(dir); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if !gone(err) || up == dir {
			return "", nil, err
		}
		rest = append(rest, filepath.Base(dir))
		dir = up
	}
	for i := len(rest) - 1; i > 0; i-- {
		real = filepath.Join(real, rest[i])
		missing = append(missing, real)
	}
	return filepath.Join(real, rest[0]), missing, nil
}
