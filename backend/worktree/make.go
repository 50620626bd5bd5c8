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

// Make makes a work tree at folder, which must not be there yet, from what
// stands in the git work tree that workspace is in: the last commit, and what
// is not committed but not ignored either. The branch is new. Errors say what
// is missing: git, a repository, a first commit.
func Make(ctx context.Context, workspace, folder, branch string) (Place, error) {
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return Place{}, fmt.Errorf("make a work tree: %w", err)
	}
	r, err := open(ctx, real)
	if err != nil {
		return Place{}, err
	}
	top, err := r.line(ctx, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return Place{}, fault.New(fault.Invalid, "%s is in no git work tree (%w): an agent can have a work tree of its own only in one", workspace, err)
	}
	if top, err = filepath.EvalSymlinks(filepath.FromSlash(top)); err != nil {
		return Place{}, err
	}
	prefix, err := filepath.Rel(top, real)
	if err != nil || !filepath.IsLocal(prefix) {
		return Place{}, fault.New(fault.Internal, "make a work tree: %s is not below %s", real, top)
	}
	r.dir = top
	head, err := r.line(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return Place{}, fault.New(fault.Invalid, "the repository at %s has no commit yet: make the first one, then an agent can have a work tree of its own", top)
	}
	base, err := r.snapshot(ctx, head, "What stood in the folder when "+branch+" began")
	if err != nil {
		return Place{}, fmt.Errorf("keep what is not committed: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return Place{}, err
	}
	if _, err := r.run(ctx, nil, "worktree", "add", "--quiet", "-b", branch, "--", folder, base); err != nil {
		return Place{}, fmt.Errorf("make a work tree: %w", err)
	}
	if prefix = filepath.ToSlash(prefix); prefix == "." {
		prefix = ""
	}
	return Place{Folder: folder, Prefix: prefix, Into: top, Branch: branch, Base: base}, nil
}

// Workspace is the folder in the work tree that stands for the one that was opened.
func (p Place) Workspace() string { return filepath.Join(p.Folder, filepath.FromSlash(p.Prefix)) }

// Gone reports whether the folder of the work tree is not there any more.
func (p Place) Gone() bool {
	info, err := os.Stat(p.Folder)
	return err != nil || !info.IsDir()
}

// ref is the name under which Base is held in the repository.
func (p Place) ref() string { return "refs/mutsumi/" + p.Branch }

// Discard removes the work tree with all that was done in it, and its branch.
// One that is gone already is no error, and neither is a repository that is.
func Discard(ctx context.Context, p Place) error {
	r, err := open(ctx, p.Into)
	if err == nil {
		_, err = r.run(ctx, nil, "rev-parse", "--git-dir")
	}
	if err != nil {
		if gone := os.RemoveAll(p.Folder); gone != nil {
			return fmt.Errorf("discard the work tree %s: %w", p.Folder, gone)
		}
		return nil
	}
	if p.Gone() {
		_, err = r.run(ctx, nil, "worktree", "prune")
	} else if _, err = r.run(ctx, nil, "worktree", "remove", "--force", "--force", "--", p.Folder); err == nil {
		err = os.RemoveAll(p.Folder)
	}
	if _, gone := r.run(ctx, nil, "branch", "-D", "--quiet", "--", p.Branch); gone != nil && !strings.Contains(gone.Error(), "not found") {
		err = errors.Join(err, gone)
	}
	if _, unheld := r.run(ctx, nil, "update-ref", "-d", p.ref()); unheld != nil {
		err = errors.Join(err, unheld)
	}
	if err != nil {
		return fmt.Errorf("discard the work tree %s: %w", p.Folder, err)
	}
	return nil
}
