package owned

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/worktree"
)

// LeftTree is an orphaned work tree: the notebook of its agent was deleted outside the
// program.
type LeftTree struct {
	UUID   string `json:"uuid"`   // of the notebook
	Name   string `json:"name"`   // of the agent
	Folder string `json:"folder"` // absolute
	Files  int    `json:"files"`  // with changes that the folder lacks; -1: unknown
	Gone   bool   `json:"gone"`   // the work tree's own folder is gone too
}

// LeftWorktrees lists the orphaned work trees of the folder by name.
func (c *Calls) LeftWorktrees() ([]LeftTree, error) {
	<-c.trees.host.Scanned
	list := []LeftTree{}
	c.trees.host.Making.Lock() // a child gets its work tree before its notebook
	making := sync.OnceFunc(c.trees.host.Making.Unlock)
	defer making()
	err := c.trees.host.Store.Do(func(*worktree.Exclusive) error {
		left, err := c.trees.orphaned()
		making()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(c.trees.host.Context, treeTime)
		defer cancel()
		for uuid, a := range left {
			t := LeftTree{UUID: uuid, Name: cmp.Or(a.Name, a.Branch), Folder: a.Folder, Gone: a.Gone()}
			if !t.Gone {
				t.Files = -1
				if v, err := worktree.Look(ctx, a.State); err == nil {
					t.Files = len(v.Files)
				}
			}
			list = append(list, t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b LeftTree) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UUID, b.UUID)) })
	return list, nil
}

// RecallWorktree makes a new notebook for an orphaned work tree, so that it can be
// viewed, merged and discarded, and returns the notebook's path. The old notebook's
// content does not come back. NotFound: there is no such orphan.
func (c *Calls) RecallWorktree(uuid string) (path string, err error) {
	err = c.trees.withOrphan(uuid, func(_ *worktree.Exclusive, a worktree.Assignment) error {
		path, err = c.trees.host.Add(notebook.New(uuid, cmp.Or(a.Name, a.Branch), "", []string{access.WholeFolder}, time.Now()), uuid)
		return err
	})
	return path, err
}

// DiscardLeftWorktree deletes an orphaned work tree with its changes, and ends the
// commands of its agent. NotFound: there is no such orphan.
func (c *Calls) DiscardLeftWorktree(uuid string) error {
	return c.trees.withOrphan(uuid, func(store *worktree.Exclusive, a worktree.Assignment) error {
		if err := c.trees.checkIdle("", uuid); err != nil {
			return err
		}
		c.trees.host.EndAllOf("", uuid)
		ctx, cancel := context.WithTimeout(c.trees.host.Context, treeTime)
		defer cancel()
		return store.Discard(ctx, uuid, a)
	})
}

// withOrphan calls do with an orphaned work tree.
func (ts *Trees) withOrphan(uuid string, do func(*worktree.Exclusive, worktree.Assignment) error) error {
	<-ts.host.Scanned
	ts.host.Making.Lock()
	defer ts.host.Making.Unlock()
	return ts.host.Store.Do(func(store *worktree.Exclusive) error {
		left, err := ts.orphaned()
		if err != nil {
			return err
		}
		a, ok := left[uuid]
		if !ok {
			return fault.New(fault.NotFound, "this work tree is not there any more, or has a notebook")
		}
		return do(store, a)
	})
}

// Unassign reverts Assign for a child that never got a notebook. Calls.LeftWorktrees lists what
// cannot be removed.
func (ts *Trees) Unassign(uuid string) {
	ts.host.Store.Do(func(store *worktree.Exclusive) error {
		a, ok := store.Of(uuid)
		switch {
		case !ok:
			return nil
		case a.Shared():
			return store.Forget(uuid)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ts.host.Context), treeTime)
		defer cancel()
		return store.Discard(ctx, uuid, a)
	})
}

// orphaned returns the work trees of the folder that belong to no notebook, by uuid.
// Host.Making must be held.
func (ts *Trees) orphaned() (map[string]worktree.Assignment, error) {
	<-ts.host.Scanned
	nodes := ts.host.Notebooks.Agents()
	has := map[string]bool{}
	for _, n := range nodes {
		has[n.UUID] = true
	}
	for _, d := range ts.host.Notebooks.OpenDocs() {
		has[d.UUID()] = true // its file may be missing, but the person is asked about that first
	}
	// The name of an unreadable file contains the beginning of its uuid.
	damaged := func(uuid string) bool {
		return slices.ContainsFunc(nodes, func(n agenttree.Node) bool {
			return n.UUID == "" && strings.Contains(n.File, uuid[:min(8, len(uuid))])
		})
	}
	all, err := ts.host.Store.All()
	maps.DeleteFunc(all, func(uuid string, a worktree.Assignment) bool { return a.Shared() || has[uuid] || damaged(uuid) })
	return all, err
}
