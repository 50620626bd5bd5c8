// Package worktree gives an agent a git work tree of its own, outside the
// folder, and brings what it did there back: merge, or discard. It runs git
// without the hooks and programs that a repository may name.
//
// It knows no notebooks: package workspace keeps which agent works where.
package worktree

// View is an agent's work tree as the interface shows it.
type View struct {
	Folder   string       `json:"folder"` // absolute
	Branch   string       `json:"branch"`
	Base     string       `json:"base"` // the commit that it began from
	Files    []FileChange `json:"files"`
	Conflict []string     `json:"conflict"` // files that cannot be merged as they are, relative to the work tree
	Merged   bool         `json:"merged"`
	Gone     bool         `json:"gone"` // discarded, or its folder is not there any more
}

// FileChange is what the agent did to one file of its work tree.
type FileChange struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // added, changed, deleted, renamed
	Added   int    `json:"added"`  // lines
	Deleted int    `json:"deleted"`
	Diff    string `json:"diff"` // unified, without the headers; "" for what is no text
}
