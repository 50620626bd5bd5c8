package catalog

import (
	"context"
	"mutsumi/backend/desktop"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/worktree/owned"
)

// Trasher moves notebooks to the system's trash.
type Trasher struct {
	registry *documents.Registry
	runs     Runs
	trees    *owned.Trees
	data     *AgentData
	ctx      context.Context
}

// NewTrasher makes a Trasher, whose waits end with ctx. data goes with the notebooks.
func NewTrasher(ctx context.Context, reg *documents.Registry, runs Runs, trees *owned.Trees, data *AgentData) *Trasher {
	return &Trasher{reg, runs, trees, data, ctx}
}

// Runs stops what runs in a notebook, and waits for its end.
type Runs interface {
	Stop(path string) error
	Wait(ctx context.Context, path string) error
}

// Trash stops what runs in a notebook, saves it, and moves its file to the
// system's trash. What its agent used stays counted at its parent (SPEC 7.5).
func (t *Trasher) Trash(path string) error {
	file, err := t.registry.Resolve(path)
	if err != nil {
		return err
	}
	d, known, _ := t.registry.Lookup(path)
	uuid := t.registry.Identity(path, known.UUID) // what a copy says it is stays with the other one
	if _, _, err := t.trees.Empty(uuid); err != nil {
		return err // before anything is stopped
	}
	if d != nil {
		if err := t.runs.Stop(path); err != nil && !fault.Is(err, fault.Invalid) {
			return err
		}
		if err := t.runs.Wait(t.ctx, path); t.ctx.Err() != nil {
			return err
		}
		// A save under way would bring the file back. One that fails, as on a
		// full disk, does not keep the person from making room.
		if err := d.Written(t.ctx); t.ctx.Err() != nil {
			return err
		}
	}
	tree, own, err := t.trees.Empty(uuid) // it may have worked until now
	if err != nil {
		return err
	}
	parent, used := t.registry.UsedWith(path)
	if d == nil {
		err = desktop.Trash(file)
	} else {
		err = d.Trash()
	}
	if err != nil {
		return err
	}
	t.registry.CloseTrashed(path)
	t.registry.FilesChanged(map[string]bool{path: true})
	_, err = t.registry.ByUUID(uuid)
	last := err != nil // no copy of the file has it
	if last {
		t.registry.CountAsPast(parent, uuid, used)
	} else {
		t.registry.CountAsPast(parent, "", used)
	}
	t.data.EndAllOf(path, uuid)
	if own && last {
		return t.trees.DiscardEmpty(uuid, tree)
	}
	return nil
}
