package workspace

import (
	"context"
	"os"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/worktree"
)

// DiscardWorktree throws an agent's work tree away, with what it did there and
// has not been merged. From then on it works in the folder itself.
func (w *Workspace) DiscardWorktree(path string) error {
	_, err := w.onTree(path, func(ctx context.Context, uuid string, g ground) (v worktree.View, err error) {
		if err := w.dropTree(ctx, uuid, g); err != nil {
			return v, err
		}
		w.out.Emit(event.FilesChanged{Path: path})
		w.out.Emit(event.ContextChanged{Path: path})
		return v, nil
	})
	return err
}

// dropTree removes a work tree; its agent, and those that share it, work in the folder.
func (w *Workspace) dropTree(ctx context.Context, uuid string, g ground) error {
	if err := worktree.Discard(ctx, g.Place); err != nil {
		return err
	}
	return w.eachGround(func(of string, shared ground) error {
		if of == uuid || shared.Owner == uuid {
			return os.RemoveAll(w.groundFolder(of))
		}
		return nil
	})
}

// leaveTree removes the empty work tree of a notebook that was deleted.
func (w *Workspace) leaveTree(uuid string, g ground) error {
	w.trees.Lock()
	defer w.trees.Unlock()
	ctx, cancel := context.WithTimeout(w.ctx, treeTime)
	defer cancel()
	return w.dropTree(ctx, uuid, g)
}

// spareTree says whether a notebook that is to be deleted has a work tree of its
// own in which there is nothing to lose. With something to lose, or while
// another agent works in it, the error says what to do first.
func (w *Workspace) spareTree(uuid string) (g ground, own bool, err error) {
	g, own = w.groundOf(uuid)
	if !own || g.Owner != "" {
		return g, false, nil
	}
	w.trees.Lock()
	defer w.trees.Unlock()
	if err := w.atRest("", uuid); err != nil || g.Gone() {
		return g, true, err
	}
	ctx, cancel := context.WithTimeout(w.ctx, treeTime)
	defer cancel()
	v, err := worktree.Look(ctx, g.Place)
	if err != nil {
		return g, true, fault.New(fault.Conflict, "what its agent did in its own work tree could not be looked at (%w): discard the work tree first, under Changes, Own work tree", err)
	}
	if n := len(v.Files); n > 0 {
		return g, true, fault.New(fault.Conflict, "what its agent did in its own work tree would be lost (files: %d, the first is %s): merge or discard it first, under Changes, Own work tree", n, v.Files[0].Path)
	}
	return g, true, nil
}
