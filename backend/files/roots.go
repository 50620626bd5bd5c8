// Package files is the only access to the person's disk for agents' requests: references, listings,
// images and the tools (SPEC 4.1). A Roots holds the folders that one agent may touch and opens
// nothing outside them, whatever the path says and wherever a symbolic link leads.
//
// It is not for the program's own files (notebooks, settings), whose paths no
// model chooses. Called by assemble, media, tool/builtin and workspace.
package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Roots is the set of folders and single files that may be touched. It does
// not change after New, holds nothing open, and may be used by many goroutines.
type Roots struct {
	workspace string // absolute, links resolved
	typed     string // absolute, as it was given
	roots     []root
	missing   []string
	private   []string // absolute, links resolved: nothing in them is in the set
}

// root is one allowed place. For a single file, dir is its folder and file its name.
type root struct {
	dir  string // absolute, links resolved
	file string // "" for a folder
}

// New makes the set for a workspace folder and the allowed_uris of a notebook: absolute paths,
// file:// URIs, or paths relative to the workspace. Only the listed places are allowed: a new
// agent's list contains the workspace. A missing entry is omitted, see Missing; one that is not a
// path is Invalid.
func New(workspace string, allowed []string) (*Roots, error) {
	abs, err := filepath.Abs(workspace)
	if err != nil {
		return nil, fault.New(fault.Invalid, "open folder %s: %w", workspace, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, pathError("open folder", workspace, err)
	}
	r := &Roots{workspace: real, typed: abs}
	for _, uri := range allowed {
		p, err := r.absolute(uri)
		if err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			r.missing = append(r.missing, uri)
			continue
		}
		info, err := os.Stat(real)
		switch {
		case err != nil:
			r.missing = append(r.missing, uri)
		case info.IsDir():
			r.roots = append(r.roots, root{dir: real})
		default:
			r.roots = append(r.roots, root{dir: filepath.Dir(real), file: filepath.Base(real)})
		}
	}
	return r, nil
}

// Without returns the same set without the content of some folders, absolute ones. A place of the
// set inside one of them stays.
func (r *Roots) Without(folders ...string) *Roots {
	less := *r
	less.private = slices.Clone(r.private)
	for _, dir := range folders {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		less.private = append(less.private, filepath.Clean(dir))
	}
	less.roots = slices.DeleteFunc(slices.Clone(r.roots), func(x root) bool { return slices.Contains(less.private, x.path()) })
	return &less
}

// withheld reports whether a path with links resolved is in a private folder that does not contain
// the place of the set itself.
func (r *Roots) withheld(from root, real string) bool {
	return slices.ContainsFunc(r.private, func(dir string) bool {
		if _, in := within(dir, real); !in {
			return false
		}
		_, own := within(dir, from.path())
		return !own
	})
}

// Workspace is the folder that relative paths start from: absolute, links resolved.
func (r *Roots) Workspace() string { return r.workspace }

// Missing lists the allowed_uris that do not exist on this disk, as they were given.
func (r *Roots) Missing() []string { return slices.Clone(r.missing) }

// Places lists the allowed places: absolute paths with links resolved.
func (r *Roots) Places() []string {
	out := make([]string, len(r.roots))
	for i, root := range r.roots {
		out[i] = root.path()
	}
	return out
}

// Narrow makes the set for a child: the requested places, as far as this set allows them (SPEC
// 4.1). An entry outside is Denied.
func (r *Roots) Narrow(allowed []string) (*Roots, error) {
	child, err := New(r.workspace, allowed)
	if err != nil {
		return nil, err
	}
	child.private = r.private
	for i, root := range child.roots {
		if _, _, ok := r.find(root.path()); !ok {
			return nil, r.outside(child.Places()[i])
		}
	}
	return child, nil
}

// Allowed reports whether path leads, links resolved, to a place inside the
// set. A path that does not exist yet is judged by the nearest folder that does.
func (r *Roots) Allowed(path string) bool {
	_, _, err := r.locateNew(path)
	return err == nil
}

// Path returns the absolute path, links resolved, of something that exists
// inside the set. Errors are NotFound, Denied or Invalid.
func (r *Roots) Path(path string) (string, error) {
	root, rel, err := r.locate(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(root.dir, rel), nil
}

// Rel names a path for people and models: relative to the workspace with slashes if inside,
// otherwise absolute. It does not touch the disk and resolves no links; "." is the workspace.
func (r *Roots) Rel(path string) string {
	p, err := r.absolute(path)
	if err != nil {
		return path
	}
	for _, base := range []string{r.workspace, r.typed} {
		if rel, ok := inside(base, p); ok {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(p)
}

// absolute is Resolve in the workspace.
func (r *Roots) absolute(path string) (string, error) { return Resolve(r.workspace, path) }

// locate finds the allowed root of an existing path and the path below it,
// free of links. os.Root guards what happens between here and the opening.
func (r *Roots) locate(path string) (root, string, error) {
	p, err := r.absolute(path)
	if err != nil {
		return root{}, "", err
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		// Outside the set, do not reveal what exists.
		if near, ok := nearest(p); !ok || !r.contains(near) {
			return root{}, "", r.outside(path)
		}
		return root{}, "", pathError("read", path, err)
	}
	if special(real) {
		return root{}, "", fault.New(fault.Denied, "%s belongs to the system (devices, processes): no agent may touch it", path)
	}
	where, rel, ok := r.find(real)
	if !ok {
		return root{}, "", r.outside(path)
	}
	return where, rel, nil
}

func (r *Roots) contains(real string) bool {
	_, _, ok := r.find(real)
	return ok
}

// find looks up a path whose links are resolved.
func (r *Roots) find(real string) (root, string, bool) {
	for _, root := range r.roots {
		rel, ok := within(root.dir, real)
		if ok && (root.file == "" || rel == root.file) && !r.withheld(root, real) {
			return root, rel, true
		}
	}
	return root{}, "", false
}

func (r *Roots) outside(path string) error {
	if len(r.roots) == 0 {
		return fault.New(fault.Denied, "%s may not be touched: this notebook allows no folder", path)
	}
	return fault.New(fault.Denied, "%s is outside the folders that this notebook allows (%s)", path, strings.Join(r.Places(), ", ")).WithCode(fault.CodeOutside)
}

func (r root) path() string { return filepath.Join(r.dir, r.file) }

// inside reports whether p is base or below it, by text alone.
func inside(base, p string) (string, bool) {
	if p == base {
		return ".", true
	}
	if !strings.HasSuffix(base, string(filepath.Separator)) {
		base += string(filepath.Separator)
	}
	if strings.HasPrefix(p, base) {
		return p[len(base):], true
	}
	return "", false
}

// within is inside, and where file systems ignore case also by identity: the
// folder is looked for among the ancestors, so that another spelling of the
// same folder is inside and another folder never is.
func within(dir, real string) (string, bool) {
	if rel, ok := inside(dir, real); ok {
		return rel, true
	}
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return "", false
	}
	want, err := os.Stat(dir)
	if err != nil {
		return "", false
	}
	for p, rel := real, ""; ; {
		if info, err := os.Stat(p); err == nil && os.SameFile(info, want) {
			return filepath.Join(".", rel), true
		}
		parent := filepath.Dir(p)
		if parent == p {
			return "", false
		}
		p, rel = parent, filepath.Join(filepath.Base(p), rel)
	}
}

// nearest returns the deepest ancestor of p that exists, links resolved.
func nearest(p string) (string, bool) {
	for {
		parent := filepath.Dir(p)
		if parent == p {
			return "", false
		}
		p = parent
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return real, true
		}
	}
}

// pathError turns an error of the file system into one for a person.
func pathError(op, path string, err error) error {
	reason := err
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		reason = pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		reason = le.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "%s: no such file or folder", path)
	case notFolder(err):
		return fault.New(fault.NotFound, "%s: a part of this path is a file, not a folder", path)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "%s: the system does not permit it", path)
	}
	return fault.New(fault.Invalid, "%s %s: %s", op, path, reason.Error()).Because(err)
}
