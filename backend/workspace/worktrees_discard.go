package workspace

import (
	"context"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/worktree"
)

// DiscardWorktree throws an agent's work tree away, with what it did there and
// has not been merged. From then on it works in the folder itself.
func (wt *workTrees) DiscardWorktree(path string) error {
	_, err := wt.withWorktree(path, func(ctx context.Context, t ownWorktree) (v worktree.View, err error) {
		if err := t.store.Discard(ctx, t.uuid, t.Assignment); err != nil {
			return v, err
		}
		wt.out.Emit(event.FilesChanged{Path: path})
		wt.out.Emit(event.ContextChanged{Path: path})
		return v, nil
	})
	return err
}

// discardEmpty removes the work tree of a notebook that was deleted.
func (wt *workTrees) discardEmpty(uuid string, a worktree.Assignment) error {
	return wt.store.Do(func(store *worktree.Exclusive) error {
		ctx, cancel := context.WithTimeout(wt.ctx, treeTime)
		defer cancel()
		return store.Discard(ctx, uuid, a)
	})
}

// empty says whether a notebook that is to be deleted has a work tree of
// its own; there is nothing to lose in it. With something to lose, or while
// another agent works in it, the error says what to do first.
func (wt *workTrees) empty(uuid string) (a worktree.Assignment, own bool, err error) {
	a, own = wt.store.Of(uuid)
	if !own || a.Shared() {
		return a, false, nil
	}
	return a, true, wt.store.Do(func(*worktree.Exclusive) error {
		if err := wt.atRest("", uuid); err != nil || a.Gone() {
			return err
		}
		ctx, cancel := context.WithTimeout(wt.ctx, treeTime)
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
