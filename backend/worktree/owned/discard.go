package owned

import (
	"context"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/worktree"
)

// DiscardWorktree deletes an agent's work tree with all changes that were not merged.
// From then on the agent works in the folder itself.
func (c *Calls) DiscardWorktree(path string) error {
	_, err := c.trees.withWorktree(path, func(ctx context.Context, t ownWorktree) (v worktree.View, err error) {
		if err := t.store.Discard(ctx, t.uuid, t.Assignment); err != nil {
			return v, err
		}
		c.trees.host.Outbox.Emit(event.FilesChanged{Path: path})
		c.trees.host.Outbox.Emit(event.ContextChanged{Path: path})
		return v, nil
	})
	return err
}

// DiscardEmpty removes the work tree of a notebook that was deleted.
func (ts *Trees) DiscardEmpty(uuid string, a worktree.Assignment) error {
	return ts.host.Store.Do(func(store *worktree.Exclusive) error {
		ctx, cancel := context.WithTimeout(ts.host.Context, treeTime)
		defer cancel()
		return store.Discard(ctx, uuid, a)
	})
}

// Empty returns the work tree of a notebook that is about to be deleted; own is false
// if it has none of its own. If the work tree holds changes that would be lost, or an
// agent works in it, the error says what to do first.
func (ts *Trees) Empty(uuid string) (a worktree.Assignment, own bool, err error) {
	a, own = ts.host.Store.Of(uuid)
	if !own || a.Shared() {
		return a, false, nil
	}
	return a, true, ts.host.Store.Do(func(*worktree.Exclusive) error {
		if err := ts.checkIdle("", uuid); err != nil || a.Gone() {
			return err
		}
		ctx, cancel := context.WithTimeout(ts.host.Context, treeTime)
		defer cancel()
		v, err := worktree.Look(ctx, a.State)
		if err != nil {
			return fault.New(fault.Conflict, "Could not look at what its agent did in its own work tree: %w. Discard the work tree first, under Changes, Own work tree.", err)
		}
		if n := len(v.Files); n > 0 {
			return fault.New(fault.Conflict, "what its agent did in its own work tree would be lost (files: %d, the first is %s): merge or discard it first, under Changes, Own work tree", n, v.Files[0].Path)
		}
		return nil
	})
}
