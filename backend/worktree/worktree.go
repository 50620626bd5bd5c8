// Package worktree gives an agent a git work tree of its own, outside the
// folder, and brings what it did there back: merge, or discard. It runs git
// without the hooks and programs that a repository may name.
//
// It knows no notebooks: Store keeps which agent works where by uuid alone.
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

// Merged is what Unmerge needs to take a merge back: names in git's store.
type Merged struct {
	Base   string `json:"base"`   // State.Base before it
	Before string `json:"before"` // what was in State.Into
	After  string `json:"after"`  // what it left there
}

// Change is one file to write or delete when a work tree is merged.
type Change struct {
	Path    string      // relative to State.Into, with slashes
	Before  []byte      // what is there now; nil: nothing
	After   []byte      // nil: it goes
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

// FileChange is what the agent did to one file of its work tree.
type FileChange struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // added, changed, deleted, renamed
	Added   int    `json:"added"`  // lines
	Deleted int    `json:"deleted"`
	Diff    string `json:"diff"`  // unified, without the headers; "" for what is not text
	Marks   bool   `json:"marks"` // git's marks of a conflict are in what was added
}
