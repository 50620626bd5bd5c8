package owned

import (
	"context"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/worktree"
)

// DiscardWorktree throws an agent's work tree away, with what it did there and
// has not been merged. From then on it works in the folder itself.
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

// Empty says whether a notebook that is to be deleted has a work tree of
// its own; there is nothing to lose in it. With something to lose, or while
// another agent works in it, the error says what to do first.
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
			return fault.New(fault.Conflict, "what its agent did in its own work tree could not be looked at (%w): discard the work tree first, under Changes, Own work tree", err)
		}
		if n := len(v.Files); n > 0 {
			return fault.New(fault.Conflict, "what its agent did in its own work tree would be lost (files: %d, the first is %s): merge or discard it first, under Changes, Own work tree", n, v.Files[0].Path)
		}
		return nil
	})
}
