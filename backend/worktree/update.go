package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mutsumi/backend/fault"
)

// Update merges the work done in State.Into since into the work tree. Files in conflict get both
// sides with git's marks between them, for the agent or the person to resolve there. It returns the
// new state and those files. If a file to write has changed in the work tree meanwhile, the error
// is a Conflict and nothing is written.
func Update(ctx context.Context, p State) (next State, conflict []string, err error) {
	u, done, err := computeUpdate(ctx, p)
	if err != nil {
		return p, nil, err
	}
	defer done()
	return u.write(ctx)
}

// update is an update of a work tree that is computed and not written.
type update struct {
	merged
	of      State
	changes []Change // of files in the work tree
}

// computeUpdate writes nothing into the work tree. done removes what it made.
func computeUpdate(ctx context.Context, p State) (u update, done func(), err error) {
	if p.Gone() {
		return u, nil, fault.New(fault.NotFound, "the work tree %s is not there any more", p.Folder)
	}
	m, done, err := merge(ctx, p)
	if err != nil {
		return u, nil, err
	}
	changes, err := m.tree.between(ctx, m.theirs, m.result)
	if err != nil {
		done()
		return u, nil, err
	}
	sides := strings.NewReplacer("<<<<<<< "+m.ours, "<<<<<<< the folder", ">>>>>>> "+m.theirs, ">>>>>>> the agent")
	for i, c := range changes {
		if slices.Contains(m.conflict, c.Path) && bytes.Contains(c.After, []byte(m.ours)) {
			changes[i].After = []byte(sides.Replace(string(c.After)))
		}
	}
	return update{m, p, changes}, done, nil
}

// write is the second half of Update.
func (u update) write(ctx context.Context) (next State, conflict []string, err error) {
	root, err := os.OpenRoot(u.of.Folder)
	if err != nil {
		return u.of, nil, err
	}
	defer root.Close()
	switch c, err := u.tree.changed(ctx, root, u.changes); {
	case err != nil:
		return u.of, nil, fmt.Errorf("update the work tree: %w", err)
	case c != nil && c.Before == nil:
		return u.of, nil, fault.New(fault.Conflict, "Could not update the work tree: %s is there already. Nothing was written: update again, or rename the file if git ignores it.", c.Path)
	case c != nil:
		return u.of, nil, fault.New(fault.Conflict, "Could not update the work tree: %s was changed there meanwhile. Nothing was written: update again.", c.Path)
	}
	for _, c := range u.changes {
		if err := c.Write(root); err != nil {
			return u.of, nil, fmt.Errorf("update the work tree: %w", err)
		}
	}
	next = u.of
	next.Base, next.Merged = u.ours, nil
	return next, u.conflict, u.into.hold(ctx, next)
}

// Changed returns the first of some changes whose file below root, which is State.Into, is no longer
// as Change.Before says; nil: none.
func Changed(ctx context.Context, p State, root *os.Root, changes []Change) (*Change, error) {
	r, done, err := openInto(ctx, p)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.changed(ctx, root, changes)
}

// changed is Changed for the work tree of r. A file whose bytes are other ones is asked of git, which
// may store it otherwise than it is on disk: with other line ends, for example.
func (r repo) changed(ctx context.Context, root *os.Root, changes []Change) (*Change, error) {
	var other []Change
	for _, c := range changes {
		text, exists, err := stored(root, c.Path)
		switch {
		case err != nil:
			return nil, err
		case exists != (c.Before != nil):
			return &c, nil
		case !bytes.Equal(text, c.Before):
			other = append(other, c)
		}
	}
	for some := range slices.Chunk(other, 100) { // so many fit into a command line
		args := []string{"hash-object", "--"}
		for _, c := range some {
			if info, err := root.Lstat(filepath.FromSlash(c.Path)); err != nil || !info.Mode().IsRegular() {
				return &c, nil
			}
			args = append(args, c.Path)
		}
		out, err := r.run(ctx, nil, args...)
		if err != nil {
			return nil, err
		}
		names := strings.Fields(out)
		for i, c := range some {
			if i >= len(names) || names[i] != c.blob {
				return &c, nil
			}
		}
	}
	return nil, nil
}

// stored returns what git stores of a file below root, before its filters: a link's target, or the
// content.
func stored(root *os.Root, path string) (text []byte, exists bool, err error) {
	path = filepath.FromSlash(path)
	info, err := root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(path)
		return []byte(target), true, err
	case !info.Mode().IsRegular():
		return nil, true, nil
	}
	text, err = root.ReadFile(path)
	return text, true, err
}
