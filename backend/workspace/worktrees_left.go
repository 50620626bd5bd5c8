package workspace

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

// LeftTree is a work tree whose agent has no notebook any more: its file was
// deleted outside the program.
type LeftTree struct {
	UUID   string `json:"uuid"`   // of the notebook
	Name   string `json:"name"`   // of the agent
	Folder string `json:"folder"` // absolute
	Files  int    `json:"files"`  // that hold what the folder lacks; -1: git cannot say
	Gone   bool   `json:"gone"`   // the work tree's folder is not there either
}

// LeftWorktrees lists the work trees of this folder that no notebook has, by name.
func (w *Workspace) LeftWorktrees() ([]LeftTree, error) {
	<-w.scanned
	list := []LeftTree{}
	w.forks.making.Lock() // a child has a tree before it has a notebook
	making := sync.OnceFunc(w.forks.making.Unlock)
	defer making()
	err := w.worktrees.Do(func(*worktree.Exclusive) error {
		left, err := w.orphanedWorktrees()
		making()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(w.ctx, treeTime)
		defer cancel()
		for uuid, a := range left {
			t := LeftTree{UUID: uuid, Name: cmp.Or(a.Name, a.Branch), Folder: a.Folder, Gone: a.Gone()}
			if !t.Gone {
				t.Files = -1
				if v, err := worktree.Look(ctx, a.Place); err == nil {
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

// RecallWorktree gives a work tree that was left a notebook again, under which
// it can be looked at, merged and discarded, and returns that one's path. What
// stood in the notebook does not come back. NotFound: no such tree is left.
func (w *Workspace) RecallWorktree(uuid string) (path string, err error) {
	err = w.withOrphan(uuid, func(_ *worktree.Exclusive, a worktree.Assignment) error {
		path, err = w.add(notebook.New(uuid, cmp.Or(a.Name, a.Branch), "", []string{access.WholeFolder}, time.Now()), uuid)
		return err
	})
	return path, err
}

// DiscardLeftWorktree throws a work tree away that was left, with what was done
// in it, and ends the commands of its agent. NotFound: no such tree is left.
func (w *Workspace) DiscardLeftWorktree(uuid string) error {
	return w.withOrphan(uuid, func(store *worktree.Exclusive, a worktree.Assignment) error {
		if err := w.atRest("", uuid); err != nil {
			return err
		}
		w.endAllOf("", uuid)
		ctx, cancel := context.WithTimeout(w.ctx, treeTime)
		defer cancel()
		return store.Discard(ctx, uuid, a)
	})
}

// withOrphan calls do with a work tree that no notebook has.
func (w *Workspace) withOrphan(uuid string, do func(*worktree.Exclusive, worktree.Assignment) error) error {
	<-w.scanned
	w.forks.making.Lock()
	defer w.forks.making.Unlock()
	return w.worktrees.Do(func(store *worktree.Exclusive) error {
		left, err := w.orphanedWorktrees()
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

// unassignWorktree takes back what assignWorktree did for a child that never
// had a notebook. What cannot be removed is listed by LeftWorktrees.
func (w *Workspace) unassignWorktree(uuid string) {
	w.worktrees.Do(func(store *worktree.Exclusive) error {
		a, ok := store.Of(uuid)
		switch {
		case !ok:
			return nil
		case a.Shared():
			return store.Forget(uuid)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), treeTime)
		defer cancel()
		return store.Discard(ctx, uuid, a)
	})
}

// orphanedWorktrees gives the work trees of this folder that no notebook has,
// by uuid. Under w.forks.making.
func (w *Workspace) orphanedWorktrees() (map[string]worktree.Assignment, error) {
	nodes := w.Nodes()
	has := map[string]bool{}
	for _, n := range nodes {
		has[n.UUID] = true
	}
	for _, d := range w.registry.OpenDocs() {
		has[d.UUID()] = true // its file may be gone: then the person is asked about that first
	}
	// Of a file that cannot be read the name says whose it was.
	damaged := func(uuid string) bool {
		return slices.ContainsFunc(nodes, func(n agenttree.Node) bool {
			return n.UUID == "" && strings.Contains(n.File, uuid[:min(8, len(uuid))])
		})
	}
	all, err := w.worktrees.All()
	maps.DeleteFunc(all, func(uuid string, a worktree.Assignment) bool { return a.Shared() || has[uuid] || damaged(uuid) })
	return all, err
}
