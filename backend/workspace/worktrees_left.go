package workspace

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

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
	w.forks.making.Lock() // a child has a tree before it has a notebook
	w.trees.Lock()
	defer w.trees.Unlock()
	left, err := w.leftGrounds()
	w.forks.making.Unlock()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(w.ctx, treeTime)
	defer cancel()
	list := []LeftTree{}
	for uuid, g := range left {
		t := LeftTree{UUID: uuid, Name: cmp.Or(g.Name, g.Branch), Folder: g.Folder, Gone: g.Gone()}
		if !t.Gone {
			t.Files = -1
			if v, err := worktree.Look(ctx, g.Place); err == nil {
				t.Files = len(v.Files)
			}
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b LeftTree) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UUID, b.UUID)) })
	return list, nil
}

// RecallWorktree gives a work tree that was left a notebook again, under which
// it can be looked at, merged and discarded, and returns that one's path. What
// stood in the notebook does not come back. NotFound: no such tree is left.
func (w *Workspace) RecallWorktree(uuid string) (path string, err error) {
	err = w.onLeft(uuid, func(g ground) error {
		path, err = w.add(notebook.New(uuid, cmp.Or(g.Name, g.Branch), "", []string{wholeFolder}, time.Now()), uuid)
		return err
	})
	return path, err
}

// DiscardLeftWorktree throws a work tree away that was left, with what was done
// in it, and ends the commands of its agent. NotFound: no such tree is left.
func (w *Workspace) DiscardLeftWorktree(uuid string) error {
	return w.onLeft(uuid, func(g ground) error {
		if err := w.atRest("", uuid); err != nil {
			return err
		}
		w.endAllOf("", uuid)
		ctx, cancel := context.WithTimeout(w.ctx, treeTime)
		defer cancel()
		return w.dropTree(ctx, uuid, g)
	})
}

// onLeft does something with a work tree that was left.
func (w *Workspace) onLeft(uuid string, do func(g ground) error) error {
	<-w.scanned
	w.forks.making.Lock()
	defer w.forks.making.Unlock()
	w.trees.Lock()
	defer w.trees.Unlock()
	left, err := w.leftGrounds()
	if err != nil {
		return err
	}
	g, ok := left[uuid]
	if !ok {
		return fault.New(fault.NotFound, "this work tree is not there any more, or has a notebook")
	}
	return do(g)
}

// unsettle takes the ground of a child back that never had a notebook.
func (w *Workspace) unsettle(uuid string) {
	w.trees.Lock()
	defer w.trees.Unlock()
	g, ok := w.groundOf(uuid)
	switch {
	case !ok:
	case g.Owner != "":
		os.RemoveAll(w.groundFolder(uuid))
	default:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), treeTime)
		defer cancel()
		w.dropTree(ctx, uuid, g) // what stays is told as left
	}
}

// leftGrounds gives the work trees of this folder that no notebook has, by
// uuid. Under w.forks.making and w.trees.
func (w *Workspace) leftGrounds() (map[string]ground, error) {
	nodes := w.Nodes()
	has := map[string]bool{}
	for _, n := range nodes {
		has[n.UUID] = true
	}
	for _, d := range w.openDocs() {
		has[d.uuid()] = true // its file may be gone: then the person is asked about that first
	}
	// Of a file that cannot be read the name says whose it was.
	damaged := func(uuid string) bool {
		return slices.ContainsFunc(nodes, func(n agenttree.Node) bool {
			return n.UUID == "" && strings.Contains(n.File, uuid[:min(8, len(uuid))])
		})
	}
	left := map[string]ground{}
	err := w.eachGround(func(uuid string, g ground) error {
		if g.Owner == "" && !has[uuid] && !damaged(uuid) {
			left[uuid] = g
		}
		return nil
	})
	return left, err
}

// eachGround calls do with the ground of each agent of this folder that has
// one, whether its notebook is there or not, until do fails.
func (w *Workspace) eachGround(do func(uuid string, g ground) error) error {
	entries, err := os.ReadDir(w.settings.StateFolder("worktrees"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		if g, ok := w.groundOf(e.Name()); ok {
			if err := do(e.Name(), g); err != nil {
				return err
			}
		}
	}
	return nil
}
