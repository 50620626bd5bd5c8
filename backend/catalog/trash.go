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

// NewTrasher returns a Trasher whose waits end with ctx. data is deleted together with the
// notebooks.
func NewTrasher(ctx context.Context, reg *documents.Registry, runs Runs, trees *owned.Trees, data *AgentData) *Trasher {
	return &Trasher{reg, runs, trees, data, ctx}
}

// Runs stops the runs of a notebook and waits for their end.
type Runs interface {
	Stop(path string) error
	Wait(ctx context.Context, path string) error
}

// Trash stops the runs of a notebook, saves it, and moves its file to the system's trash. Its
// parent keeps counting the agent's usage (SPEC 7.5). The error is a Conflict while its work tree
// has changes that the folder lacks.
func (t *Trasher) Trash(path string) error {
	file, err := t.registry.Resolve(path)
	if err != nil {
		return err
	}
	d, known, _ := t.registry.Lookup(path)
	uuid := t.registry.Identity(path, known.UUID) // "" for a copy, whose uuid belongs to the original
	if _, _, err := t.trees.Empty(uuid); err != nil {
		return err // before any run is stopped
	}
	if d != nil {
		if err := t.runs.Stop(path); err != nil && !fault.Is(err, fault.Invalid) {
			return err
		}
		if err := t.runs.Wait(t.ctx, path); t.ctx.Err() != nil {
			return err
		}
		// A save under way would write the file again. A save that fails, as on a
		// full disk, must not keep the person from making room.
		if err := d.Written(t.ctx); t.ctx.Err() != nil {
			return err
		}
	}
	tree, own, err := t.trees.Empty(uuid) // again: it may have worked until now
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
	last := err != nil // no copy of the file has the uuid
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
