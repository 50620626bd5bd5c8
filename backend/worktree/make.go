package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mutsumi/backend/fault"
)

// Make makes a work tree at folder, which must not exist yet, from the git work tree of workspace:
// the last commit, and changes that are neither committed nor ignored. The branch is new. Errors
// say what is missing: git, a repository, a first commit.
func Make(ctx context.Context, workspace, folder, branch string) (State, error) {
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return State{}, fmt.Errorf("make a work tree: %w", err)
	}
	r, done, err := open(ctx, real)
	if err != nil {
		return State{}, err
	}
	defer done()
	prefix, err := filepath.Rel(r.dir, real)
	if err != nil || !filepath.IsLocal(prefix) {
		return State{}, fault.New(fault.Internal, "make a work tree: %s is not below %s", real, r.dir)
	}
	head, err := r.line(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return State{}, fault.New(fault.Invalid, "the repository at %s has no commit yet: make the first one, then an agent can have a work tree of its own", r.dir)
	}
	base, err := r.snapshot(ctx, head, "What stood in the folder when "+branch+" began")
	if err != nil {
		return State{}, fmt.Errorf("keep what is not committed: %w", err)
	}
	if prefix = filepath.ToSlash(prefix); prefix == "." {
		prefix = ""
	}
	p := State{Folder: folder, Prefix: prefix, Into: r.dir, Branch: branch, Base: base}
	if err := r.add(ctx, p); err != nil {
		return State{}, errors.Join(fmt.Errorf("make a work tree: %w", err), r.remove(context.WithoutCancel(ctx), p)) // leave nothing behind after a stop
	}
	return p, nil
}

// add makes a work tree, its branch and its place in the repository, as `git
// worktree add` does; that would go by the repository's settings.
func (r repo) add(ctx context.Context, p State) error {
	if err := os.MkdirAll(filepath.Dir(p.Folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(p.Folder, 0o755); err != nil {
		return err
	}
	if _, err := r.run(ctx, nil, "update-ref", "refs/heads/"+p.Branch, p.Base, ""); err != nil {
		return err
	}
	dir, err := r.register(p)
	if err != nil {
		return err
	}
	index := filepath.Join(dir, "index")
	_, err = r.in(p).run(ctx, &index, "read-tree", "--reset", "-u", p.Base)
	return err
}

// Workspace is the folder in the work tree that corresponds to the opened one.
func (p State) Workspace() string { return filepath.Join(p.Folder, filepath.FromSlash(p.Prefix)) }

// Gone reports whether the folder of the work tree is gone.
func (p State) Gone() bool {
	info, err := os.Stat(p.Folder)
	return err != nil || !info.IsDir()
}

// ref is the name under which Base is held in the repository.
func (p State) ref() string { return "refs/mutsumi/" + p.Branch }

// openInto opens the repository of a work tree. The error is NotFound if it no longer exists.
func openInto(ctx context.Context, p State) (repo, func(), error) {
	r, done, err := open(ctx, p.Into)
	if fault.Is(err, fault.Invalid) || err == nil && r.dir != p.Into {
		done()
		return repo{}, func() {}, fault.New(fault.NotFound, "the repository at %s, to which the work tree belongs, is not there any more", p.Into)
	}
	return r, done, err
}

// Discard removes the work tree with all work in it, and its branch. A missing work tree is not an
// error, and neither is a missing repository.
func Discard(ctx context.Context, p State) error {
	r, done, err := openInto(ctx, p)
	switch {
	case fault.Is(err, fault.NotFound):
		err = os.RemoveAll(p.Folder)
	case err == nil:
		defer done()
		err = r.remove(ctx, p)
	}
	if err != nil {
		return fmt.Errorf("discard the work tree %s: %w", p.Folder, err)
	}
	return nil
}

// remove removes a work tree and its registration in the repository.
func (r repo) remove(ctx context.Context, p State) error {
	errs := []error{os.RemoveAll(p.Folder), r.unregister(p)}
	for _, ref := range []string{"refs/heads/" + p.Branch, p.ref()} {
		if _, err := r.run(ctx, nil, "update-ref", "-d", ref); err != nil && !strings.Contains(err.Error(), "not found") {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
