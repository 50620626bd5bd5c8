package workspace

import "mutsumi/backend/worktree"

// Worktree gives the work tree of a notebook's agent; Folder is "" when it has
// none.
func (w *Workspace) Worktree(string) (worktree.View, error) {
	return worktree.View{Files: []worktree.FileChange{}, Conflict: []string{}}, nil
}

// MergeWorktree brings what an agent did in its work tree into the folder.
func (w *Workspace) MergeWorktree(path string) (worktree.View, error) { return w.Worktree(path) }

// DiscardWorktree throws an agent's work tree away, with what it did there.
func (w *Workspace) DiscardWorktree(string) error { return nil }
