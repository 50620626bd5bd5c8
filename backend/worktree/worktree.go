// Package worktree gives an agent its own git work tree, outside the folder, and merges its work
// back, or discards it. It runs git without the hooks and programs that a repository may name.
//
// It knows no notebooks: Store records which agent works where by uuid alone.
package worktree

import "io/fs"

// State is where an agent works.
type State struct {
	Folder string  `json:"folder"` // absolute: the top of the work tree
	Prefix string  `json:"prefix"` // of the workspace below the top of its repository, with slashes; "" is the top itself
	Into   string  `json:"into"`   // absolute: the top of the work tree that it is merged into
	Branch string  `json:"branch"`
	Base   string  `json:"base"`             // the commit that its changes are counted from
	Merged *Merged `json:"merged,omitempty"` // the last merge, while it can be taken back
}

// Merged is the data for undoing a merge: names in git's store.
type Merged struct {
	Base   string `json:"base"`   // State.Base before it
	Before string `json:"before"` // the content of State.Into
	After  string `json:"after"`  // the content after the merge
}

// Change is one file to write or delete when a work tree is merged.
type Change struct {
	Path    string      // relative to State.Into, with slashes
	Before  []byte      // the present content, as git stores it; nil: none
	blob    string      // the name of Before in git's store
	After   []byte      // nil: removed
	Mode    fs.FileMode // of a file that is written
	Symlink bool        // After is the link's target
}

// View is an agent's work tree as the interface shows it.
type View struct {
	Folder   string       `json:"folder"` // absolute
	Branch   string       `json:"branch"`
	Base     string       `json:"base"` // the commit that it began from
	Files    []FileChange `json:"files"`
	Conflict []string     `json:"conflict"` // files that cannot be merged as they are, relative to the work tree
	Merged   bool         `json:"merged"`
	Undoable bool         `json:"undoable"` // the last merge can be taken back
	Gone     bool         `json:"gone"`     // discarded, or its folder is gone
}

// FileChange is the agent's change of one file of its work tree.
type FileChange struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // added, changed, deleted, renamed
	Added   int    `json:"added"`  // lines
	Deleted int    `json:"deleted"`
	Diff    string `json:"diff"`  // unified, without the headers; "" for binary files
	Marks   bool   `json:"marks"` // the added lines contain git's conflict marks
}
