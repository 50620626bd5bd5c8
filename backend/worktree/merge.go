package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mutsumi/backend/fault"
)

// maxDiff is how many bytes of a file's diff are shown.
const maxDiff = 256 << 10

// Look returns the agent's changes in its work tree, and what cannot be merged at present.
func Look(ctx context.Context, p State) (View, error) {
	v := View{Folder: p.Folder, Branch: p.Branch, Base: p.Base, Files: []FileChange{}, Conflict: []string{}, Gone: p.Gone(), Undoable: p.Merged != nil}
	if v.Gone {
		return v, nil
	}
	m, done, err := merge(ctx, p)
	if err != nil {
		return v, err
	}
	defer done()
	v.Conflict = append(v.Conflict, m.conflict...)
	v.Files, err = m.tree.changes(ctx, p.Base, m.theirs)
	return v, err
}

// merged is the work tree and the one it came from, brought together in git's
// store alone: no file is written.
type merged struct {
	tree     repo // the agent's
	into     repo
	ours     string // a commit of the content of State.Into
	theirs   string // a commit of the content of the work tree
	result   string // a tree; files in conflict are in it with marks
	conflict []string
}

func merge(ctx context.Context, p State) (m merged, done func(), err error) {
	if m.into, done, err = openInto(ctx, p); err != nil {
		return m, done, err
	}
	m.tree = m.into.in(p)
	if err = m.both(ctx, p); err != nil {
		done()
		return m, func() {}, err
	}
	return m, done, nil
}

// both makes commits of the two sides and merges them.
func (m *merged) both(ctx context.Context, p State) (err error) {
	if m.theirs, err = m.tree.snapshot(ctx, p.Base, "What "+p.Branch+" did"); err != nil {
		return fmt.Errorf("look at the work tree: %w", err)
	}
	if m.ours, err = m.into.snapshot(ctx, p.Base, "What stands in the folder"); err != nil {
		return fmt.Errorf("look at the folder: %w", err)
	}
	out, status, err := m.into.try(ctx, nil, nil, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", m.ours, m.theirs)
	if err != nil && status != 1 {
		return fmt.Errorf("merge the work tree: %w", err)
	}
	names := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	m.result = names[0]
	if status == 1 {
		m.conflict = names[1:]
	}
	return nil
}

// changes lists the differences between two commits or trees.
func (r repo) changes(ctx context.Context, from, to string) ([]FileChange, error) {
	files := []FileChange{}
	common := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"}
	status, err := r.run(ctx, nil, append(common, "--name-status", "-z", from, to)...)
	if err != nil {
		return files, err
	}
	counts, err := r.run(ctx, nil, append(common, "--numstat", "-z", from, to)...)
	if err != nil {
		return files, err
	}
	patch, err := r.run(ctx, nil, append(common, "--src-prefix=a/", "--dst-prefix=b/", "--patch", from, to)...)
	if err != nil {
		return files, err
	}
	names := strings.Split(strings.TrimRight(status, "\x00"), "\x00")
	lines := strings.Split(strings.TrimRight(counts, "\x00"), "\x00")
	patches := strings.Split("\n"+patch, "\ndiff --git ")[1:]
	words := map[string]string{"A": "added", "D": "deleted"}
	for i := 0; i+1 < len(names); i += 2 {
		f := FileChange{Path: names[i+1], Status: words[names[i]]}
		if f.Status == "" {
			f.Status = "changed"
		}
		if n := i / 2; n < len(lines) && n < len(patches) {
			added, rest, _ := strings.Cut(lines[n], "\t")
			deleted, _, _ := strings.Cut(rest, "\t")
			f.Added, _ = strconv.Atoi(added) // "-" for binary files: 0
			f.Deleted, _ = strconv.Atoi(deleted)
			if at := strings.Index(patches[n], "\n@@ "); at >= 0 && len(patches[n]) <= maxDiff {
				f.Diff = patches[n][at+1:]
			}
			f.Marks = strings.Contains(patches[n], "\n+<<<<<<< ") && strings.Contains(patches[n], "\n+>>>>>>> ")
		}
		files = append(files, f)
	}
	return files, nil
}

// Merge returns the files of State.Into to write so that it includes the agent's work: all of it
// or, with conflicts, nothing and the files in conflict. It writes none of them. next is the state
// after they are written.
func Merge(ctx context.Context, p State) (changes []Change, conflict []string, next State, err error) {
	if p.Gone() {
		return nil, nil, p, fault.New(fault.NotFound, "the work tree %s is not there any more", p.Folder)
	}
	m, done, err := merge(ctx, p)
	if err != nil {
		return nil, nil, p, err
	}
	defer done()
	if len(m.conflict) > 0 {
		return nil, m.conflict, p, nil
	}
	if changes, err = m.into.between(ctx, m.ours, m.result); err != nil {
		return nil, nil, p, err
	}
	before, err := m.into.asTheyStand(ctx, m.ours, changes)
	if err != nil {
		return nil, nil, p, err
	}
	if before != m.ours {
		if changes, err = m.into.between(ctx, before, m.result); err != nil {
			return nil, nil, p, err
		}
	}
	next = p
	next.Base, next.Merged = m.theirs, &Merged{Base: p.Base, Before: before, After: m.result}
	return changes, nil, next, m.into.hold(ctx, next)
}

// Unmerge returns the files of State.Into to write to undo the last merge; later work there stays.
// It writes none of them. next is the state after they are written: the agent's work can be merged
// again. Without a merge to undo the error is NotFound.
func Unmerge(ctx context.Context, p State) (changes []Change, next State, err error) {
	if p.Merged == nil {
		return nil, p, fault.New(fault.NotFound, "there is no merge to take back")
	}
	r, done, err := openInto(ctx, p)
	if err != nil {
		return nil, p, err
	}
	defer done()
	if changes, err = r.between(ctx, p.Merged.After, p.Merged.Before); err != nil {
		return nil, p, fmt.Errorf("take the merge back: %w", err)
	}
	next = p
	next.Base, next.Merged = p.Merged.Base, nil
	return changes, next, nil
}

// hold keeps git from sweeping away the commit that a place's changes are counted from.
func (r repo) hold(ctx context.Context, p State) error {
	_, err := r.run(ctx, nil, "update-ref", p.ref(), p.Base)
	return err
}

// between returns the changes from one commit or tree to another, with contents.
func (r repo) between(ctx context.Context, from, to string) ([]Change, error) {
	out, err := r.run(ctx, nil, "diff", "--raw", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-abbrev", "-z", from, to)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	changes := []Change{}
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(fields[i]) // ":100644 100755 0123... 4567... M"
		if len(f) != 5 {
			return nil, fmt.Errorf("git listed %q", fields[i])
		}
		if f[0] == ":160000" || f[1] == "160000" {
			continue // a repository inside: its commits are its own business
		}
		contents, err := r.blobs(ctx, f[2:4])
		if err != nil {
			return nil, err
		}
		c := Change{Path: fields[i+1], Before: contents[0], blob: f[2], After: contents[1], Mode: 0o644, Symlink: f[1] == "120000"}
		if f[1] == "100755" {
			c.Mode = 0o755
		}
		if c.After == nil && f[4] != "D" {
			c.After = []byte{}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Write carries a change out below root, which it never leaves.
func (c Change) Write(root *os.Root) error {
	path := filepath.FromSlash(c.Path)
	if c.After == nil {
		return root.Remove(path)
	}
	if dir := filepath.Dir(path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	info, err := root.Lstat(path)
	if c.Symlink || err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err == nil {
			if err := root.Remove(path); err != nil {
				return err
			}
		}
		if c.Symlink {
			return root.Symlink(string(c.After), path)
		}
	}
	mode := c.Mode
	if err == nil && info.Mode().IsRegular() {
		mode |= info.Mode().Perm() &^ 0o111 // the person's other permission bits stay
	}
	if err := root.WriteFile(path, c.After, mode); err != nil {
		return err
	}
	return root.Chmod(path, mode)
}
