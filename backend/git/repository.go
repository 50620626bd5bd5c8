package git

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mutsumi/backend/lazyregexp"
)

// Repository is the place of a work tree and of its history. It is found without git, which would
// read the repository's configuration.
type Repository struct {
	Top    string // of the work tree, with links followed
	Dir    string // git's folder of this work tree
	Common string // git's folder of the repository: another one in a linked work tree
}

// Find finds the work tree of a folder. The error is for a person.
func Find(dir string) (Repository, error) {
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Repository{}, err
	}
	for {
		at := filepath.Join(top, ".git")
		if info, err := os.Stat(at); err == nil {
			if !info.IsDir() {
				if at = pointer(at, "gitdir: ", top); at == "" {
					return Repository{}, errors.New("its .git file is not understood")
				}
			}
			r := Repository{Top: top, Dir: at, Common: at}
			if p := pointer(filepath.Join(at, "commondir"), "", at); p != "" {
				r.Common = p
			}
			return r, nil
		}
		up := filepath.Dir(top)
		if up == top {
			return Repository{}, errors.New("the folder is in no git work tree")
		}
		top = up
	}
}

// Objects is the folder of the repository's contents.
func (r Repository) Objects() string { return filepath.Join(r.Common, "objects") }

// sha256 matches the setting for longer object names.
var sha256 = lazyregexp.New(`(?im)^\s*objectformat\s*=\s*"?sha256"?\s*$`)

// SHA256 reports whether the repository names its contents so.
func (r Repository) SHA256() bool {
	return sha256.Match(upTo(filepath.Join(r.Common, "config"), 1<<20))
}

// headShape matches a HEAD: the name of a branch, or of a commit.
var headShape = lazyregexp.New(`^(?:ref: refs/[^\x00-\x20\x7f~^:?*\[\\]+|[0-9a-f]{40}|[0-9a-f]{64})$`)

// Head returns what is checked out: "ref: refs/heads/main", or the name of a commit; "" if it is
// not understood.
func (r Repository) Head() string {
	head := strings.TrimRight(string(Small(filepath.Join(r.Dir, "HEAD"))), "\r\n")
	if !headShape.MatchString(head) || strings.Contains(head, "..") {
		return ""
	}
	return head
}

// Branch is the branch that is checked out, or the first digits of the commit.
func (r Repository) Branch() string {
	head := r.Head()
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return branch
	}
	return head[:min(7, len(head))]
}

// pointer reads a small file that holds a path.
func pointer(file, prefix, base string) string {
	p, ok := strings.CutPrefix(strings.TrimRight(string(Small(file)), "\r\n"), prefix)
	if !ok || p == "" {
		return ""
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return p
}

// Small reads the first few bytes of a repository's file; it returns none for anything but a
// regular file.
func Small(path string) []byte { return upTo(path, 4096) }

// upTo reads a file of at most most bytes. Anything but a regular file, such as a pipe, gives
// nothing and does not block.
func upTo(path string, most int64) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return b
}
