package owned

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/worktree"
)

// maxChildTrees is how many work trees ChildTrees examines: git reads every file of each.
const maxChildTrees = 50

// ChildTree is the work tree of a descendant with changes that the folder lacks.
type ChildTree struct {
	Path     string `json:"path"` // of the notebook
	Name     string `json:"name"`
	Files    int    `json:"files"`    // changed, and not merged
	Conflict int    `json:"conflict"` // of them, in conflict with the folder
}

// ChildTrees lists the work trees of an agent's descendants that have something to
// merge, in the order of the tree.
func (c *Calls) ChildTrees(path string) ([]ChildTree, error) {
	out := []ChildTree{}
	meta, err := c.trees.agent(path)
	if fault.Is(err, fault.NotFound) {
		return out, nil // the notebook has been deleted
	}
	if err != nil {
		return out, err
	}
	err = c.trees.host.Store.Do(func(*worktree.Exclusive) error {
		ctx, cancel := context.WithTimeout(c.trees.host.Context, treeTime)
		defer cancel()
		looked := 0
		for _, child := range family(c.trees.host.Notebooks.Summaries(), meta.UUID) {
			_, a, err := c.trees.assignmentOf(child.File)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if looked++; err != nil || looked > maxChildTrees {
				return err
			}
			v, err := worktree.Look(ctx, a.State)
			if err != nil {
				return err
			}
			if len(v.Files) > 0 && !v.Gone {
				out = append(out, ChildTree{Path: child.File, Name: child.Name, Files: len(v.Files), Conflict: len(v.Conflict)})
			}
		}
		return nil
	})
	return out, err
}

// family lists the descendants of the agent with a uuid, each before its own
// descendants, siblings in the order in which they were made.
func family(all []documents.Summary, uuid string) (out []documents.Summary) {
	children := map[string][]documents.Summary{}
	for _, h := range all {
		if h.ParentID != "" {
			children[h.ParentID] = append(children[h.ParentID], h)
		}
	}
	seen := map[string]bool{uuid: true}
	var add func(of string)
	add = func(of string) {
		list := children[of]
		slices.SortFunc(list, func(a, b documents.Summary) int {
			return cmp.Or(strings.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.File, b.File))
		})
		for _, h := range list {
			if !seen[h.UUID] {
				seen[h.UUID] = true
				out = append(out, h)
				add(h.UUID)
			}
		}
	}
	add(uuid)
	return out
}
