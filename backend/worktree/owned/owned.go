// Package owned manages the work trees of a folder's agents: it assigns one to a child,
// merges its changes into the folder, updates it, and discards it. Package worktree
// does the work in git. Package workspace calls it.
package owned

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/desktop"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/git"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/worktree"
)

// treeTime is how long git may take for a work tree.
const treeTime = 2 * time.Minute

// Host is the folder whose agents work in work trees.
type Host struct {
	Folder    string // absolute
	Store     *worktree.Store
	Notebooks *documents.Registry
	Outbox    *event.Outbox
	Scanned   <-chan struct{} // closed once the folder was scanned for notebooks
	Making    sync.Locker     // held while children are made; taken before the lock of Store
	// Add writes a new notebook under its uuid and returns its path.
	Add func(nb *notebook.Document, uuid string) (string, error)
	// Begin opens the record of the files that a merge writes; nil: none is kept.
	Begin func(uuid, cell string) *checkpoint.Recorder
	// EndAllOf removes the data of an agent that no longer exists.
	EndAllOf func(path, uuid string)
	Context  context.Context // ends when the folder is closed
}

// Trees manages the work trees of a folder's agents. It is safe for concurrent use.
type Trees struct{ host Host }

// New returns the Trees of a folder.
func New(h Host) *Trees { return &Trees{h} }

// Calls lets the interface show, merge and discard work trees. Package workspace embeds it.
type Calls struct{ trees *Trees }

// Calls returns the calls of the interface.
func (ts *Trees) Calls() *Calls { return &Calls{ts} }

// agent returns the agent's settings in the notebook at path.
func (ts *Trees) agent(path string) (meta notebook.MetaView, err error) {
	err = ts.host.Notebooks.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
		meta = tx.Agent()
		return nil
	})
	return meta, err
}

// Assign makes a work tree for a child that asks for one, or lets it work where its
// parent works.
func (ts *Trees) Assign(ctx context.Context, parent, child string, c builtin.Child) error {
	if !c.Worktree {
		return ts.host.Store.Share(parent, child)
	}
	ctx, cancel := context.WithTimeout(ctx, treeTime)
	defer cancel()
	return ts.host.Store.Make(ctx, parent, child, c.Name)
}

// assignmentOf returns an agent's own work tree. The error is NotFound if it has none
// or shares its parent's.
func (ts *Trees) assignmentOf(path string) (meta notebook.MetaView, a worktree.Assignment, err error) {
	if meta, err = ts.agent(path); err != nil {
		return meta, a, err
	}
	a, ok := ts.host.Store.Of(meta.UUID)
	switch {
	case !ok:
		return meta, a, fault.New(fault.NotFound, "%s has no work tree of its own", meta.Name)
	case a.Shared():
		return meta, a, fault.New(fault.NotFound, "%s works in the work tree of the agent that started it: merge or discard it there", meta.Name)
	}
	return meta, a, nil
}

// Worktree returns the work tree of a notebook's agent; its Folder is "" if the agent
// has none of its own.
func (c *Calls) Worktree(path string) (worktree.View, error) {
	v := worktree.View{Files: []worktree.FileChange{}, Conflict: []string{}}
	err := c.trees.host.Store.Do(func(*worktree.Exclusive) error {
		_, a, err := c.trees.assignmentOf(path)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(c.trees.host.Context, treeTime)
		defer cancel()
		v, err = worktree.Look(ctx, a.State)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return v, err
}

// RevealWorktree shows the folder of a notebook's work tree in the system's file manager.
func (c *Calls) RevealWorktree(path string) error {
	_, a, err := c.trees.assignmentOf(path)
	if err != nil {
		return err
	}
	return desktop.Reveal(a.Folder)
}

// checkIdle returns an error while a notebook's agent, or another agent in its work
// tree, runs.
func (ts *Trees) checkIdle(path, uuid string) error {
	var running []agenttree.Node
	ts.host.Notebooks.EachAgent(func(n agenttree.Node, l agenttree.Live, _ bool) {
		if l.Running {
			running = append(running, n)
		}
	})
	for _, n := range running { // outside EachAgent, because Of reads the disk
		if a, ok := ts.host.Store.Of(n.UUID); n.File == path || ok && a.Owner == uuid {
			return fault.New(fault.Conflict, "%s is at work in the work tree: wait for its end, or stop it first", n.Name)
		}
	}
	return nil
}

// ownWorktree is an agent's own work tree while no agent works in it.
type ownWorktree struct {
	worktree.Assignment
	store *worktree.Exclusive
	path  string // of the notebook
	uuid  string
}

// withWorktree calls do with an agent's own work tree while no agent works in it.
func (ts *Trees) withWorktree(path string, do func(context.Context, ownWorktree) (worktree.View, error)) (v worktree.View, err error) {
	err = ts.host.Store.Do(func(store *worktree.Exclusive) error {
		meta, a, err := ts.assignmentOf(path)
		if err == nil {
			err = ts.checkIdle(path, meta.UUID)
		}
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ts.host.Context, treeTime)
		defer cancel()
		v, err = do(ctx, ownWorktree{a, store, path, meta.UUID})
		return err
	})
	return v, err
}

// MergeWorktree merges the changes of an agent's work tree into the folder. If there
// are conflicts, it writes nothing and View.Conflict names the files. UnmergeWorktree
// and "restore files" take the merge back.
func (c *Calls) MergeWorktree(path string) (worktree.View, error) {
	return c.trees.withWorktree(path, func(ctx context.Context, t ownWorktree) (v worktree.View, err error) {
		changes, conflict, next, err := worktree.Merge(ctx, t.State)
		if err != nil {
			return v, err
		}
		if len(conflict) > 0 {
			return worktree.Look(ctx, t.State)
		}
		if err := c.trees.writeMerge(ctx, path, t, changes); err != nil {
			return v, err
		}
		v, err = c.trees.saveState(ctx, t, next)
		v.Merged = true
		return v, err
	})
}

// UnmergeWorktree takes back the last merge of an agent's work tree: the folder is as
// before, and the changes can be merged again. If a file changed since, the error is a
// Conflict and nothing is written.
func (c *Calls) UnmergeWorktree(path string) (worktree.View, error) {
	return c.trees.withWorktree(path, func(ctx context.Context, t ownWorktree) (v worktree.View, err error) {
		changes, next, err := worktree.Unmerge(ctx, t.State)
		if err == nil {
			err = c.trees.writeMerge(ctx, path, t, changes)
		}
		if err != nil {
			return v, err
		}
		return c.trees.saveState(ctx, t, next)
	})
}

// saveState records the new state of a work tree, publishes it, and returns its view.
func (ts *Trees) saveState(ctx context.Context, t ownWorktree, now worktree.State) (worktree.View, error) {
	if err := t.store.Move(t.uuid, t.Assignment, now); err != nil {
		return worktree.View{}, err
	}
	ts.host.Outbox.Emit(event.FilesChanged{Path: t.path})
	return worktree.Look(ctx, now)
}

// writeMerge writes the files of a merge, and records them as changed in the agent's
// last cell.
func (ts *Trees) writeMerge(ctx context.Context, path string, t ownWorktree, changes []worktree.Change) error {
	last := ""
	ts.host.Notebooks.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		if ids := nb.CellIDs(); len(ids) > 0 {
			last = ids[len(ids)-1]
		}
		return nil
	})
	root, err := os.OpenRoot(t.Into)
	if err != nil {
		return err
	}
	defer root.Close()
	switch c, err := worktree.Changed(ctx, t.State, root, changes); {
	case err != nil:
		return fmt.Errorf("merge the work tree: %w", err)
	case c != nil:
		return fault.New(fault.Conflict, "%s was changed meanwhile: nothing was written", c.Path)
	}
	turn := ts.host.Begin(t.uuid, last)
	defer turn.End()
	for _, c := range changes {
		file := filepath.Join(t.Into, filepath.FromSlash(c.Path))
		turn.Before(file) // if it fails, the record notes that the file cannot be restored
		err := c.Write(root)
		turn.After(file)
		if err != nil {
			return fmt.Errorf("merge %s: %w", c.Path, err)
		}
	}
	return nil
}

// UpdateWorktree merges the folder's changes into an agent's work tree. Files in
// conflict get both sides there, with git's conflict markers. If a file in the work tree
// changed meanwhile, the error is a Conflict and nothing is written.
func (c *Calls) UpdateWorktree(path string) (worktree.View, error) {
	return c.trees.withWorktree(path, func(ctx context.Context, t ownWorktree) (v worktree.View, err error) {
		next, _, err := worktree.Update(ctx, t.State)
		if err != nil {
			return v, err
		}
		return c.trees.saveState(ctx, t, next)
	})
}

// CanSplit returns the reason why agents cannot have work trees here, nil if they can.
func (ts *Trees) CanSplit() error {
	if r, err := git.Find(ts.host.Folder); err != nil || r.Branch() == "" {
		return fault.New(fault.Invalid, "it cannot have a work tree of its own: the folder is in no git repository. Leave worktree out, and let children write different files")
	}
	return nil
}
