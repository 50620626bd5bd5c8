package workspace

import (
	"mutsumi/backend/desktop"
	"mutsumi/backend/fault"
)

// Trash stops what runs in a notebook, saves it, and moves its file to the
// system's trash. What its agent used stays counted at its parent (SPEC 7.5).
func (w *Workspace) Trash(path string) error {
	file, err := w.registry.Resolve(path)
	if err != nil {
		return err
	}
	d, known, _ := w.registry.Look(path)
	uuid := w.registry.Identity(path, known.UUID) // what a copy says it is stays with the other one
	if _, _, err := w.emptyWorktree(uuid); err != nil {
		return err // before anything is stopped
	}
	if d != nil {
		if err := w.Stop(path); err != nil && !fault.Is(err, fault.Invalid) {
			return err
		}
		if err := w.Wait(w.ctx, path); w.ctx.Err() != nil {
			return err
		}
		// A save under way would bring the file back. One that fails, as on a
		// full disk, does not keep the person from making room.
		if err := d.Written(w.ctx); w.ctx.Err() != nil {
			return err
		}
	}
	tree, own, err := w.emptyWorktree(uuid) // it may have worked until now
	if err != nil {
		return err
	}
	parent, used := w.registry.UsedWith(path)
	if d == nil {
		err = desktop.Trash(file)
	} else {
		err = d.Trash()
	}
	if err != nil {
		return err
	}
	w.registry.CloseTrashed(path)
	w.registry.FilesChanged(map[string]bool{path: true})
	_, err = w.registry.ByUUID(uuid)
	last := err != nil // no copy of the file has it
	if last {
		w.registry.CountAsPast(parent, uuid, used)
	} else {
		w.registry.CountAsPast(parent, "", used)
	}
	w.endAllOf(path, uuid)
	if own && last {
		return w.discardEmptyWorktree(uuid, tree)
	}
	return nil
}
