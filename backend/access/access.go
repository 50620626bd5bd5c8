// Package access answers what an agent may touch, and whether what a folder
// brings takes effect: for references, images, previews, completion, tools,
// commands and the command line alike. Places outside the folder come from what
// the person gave (settings.Rights), and from nothing that a file says.
//
// It holds no notebook and grants no command, which package approval does;
// its callers pass in what a notebook says of itself. Package workspace calls it.
package access

import (
	"encoding/json"
	"path/filepath"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/lock"
	"mutsumi/backend/settings"
	"mutsumi/backend/worktree"
)

// WholeFolder is the entry for the workspace folder, and what counts where a
// notebook has no list. It still holds when the folder is moved or cloned.
const WholeFolder = "."

// Notebook is what a notebook says of its agent.
type Notebook struct {
	Path     string // of its file, relative to the folder with slashes
	UUID     string // "": it has none of its own
	ParentID string
	Entries  []string // its list of what the agent may touch
}

func (n Notebook) agent() settings.Agent { return settings.Agent{File: n.Path, UUID: n.UUID} }

// Notebooks is what Access asks about the notebooks of the folder. It is called
// under the lock with which one place at a time is given, so it must not call back.
type Notebooks interface {
	// Notebook returns what the notebook at path says now.
	Notebook(path string) (Notebook, error)
	// Holder returns what the notebook that holds a uuid says, if it is there.
	// No document's lock is taken.
	Holder(uuid string) (Notebook, bool)
	// Identify gives the notebook a uuid of its own where it has none.
	Identify(path string) error
	// ChangeEntries changes its list as one undo step.
	ChangeEntries(path string, f func(entries []string) ([]string, error)) error
	// Revoked returns the agent of an open notebook, and what undo took from it.
	Revoked(path string) (settings.Agent, *Revoked, error)
}

// Access knows what the agents of one folder may touch. It is safe for
// concurrent use.
type Access struct {
	folder    string
	settings  *settings.Store
	rights    *settings.Rights
	trust     *Trust
	worktrees *worktree.Store
	notebooks Notebooks
	changing  lock.Mutex // one place at a time is given, or taken back; before the documents' locks
}

// New makes the access of a folder, absolute.
func New(folder string, s *settings.Store, rights *settings.Rights, trust *Trust, worktrees *worktree.Store, notebooks Notebooks) *Access {
	return &Access{folder: folder, settings: s, rights: rights, trust: trust, worktrees: worktrees, notebooks: notebooks}
}

// Entry is how a notebook names a place: relative to the folder where it lies
// in it, so that the folder can be moved.
func (a *Access) Entry(path string) string {
	if rel, err := filepath.Rel(a.folder, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// Entries is Entry for each of the places.
func (a *Access) Entries(places []string) []string {
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = a.Entry(p)
	}
	return out
}

// Outside lists the places that are not in the folder, links followed.
func (a *Access) Outside(places []string) (out []string) {
	own, err := files.New(a.folder, []string{WholeFolder})
	for _, p := range places {
		if path := files.Absolute(a.folder, p); err != nil || !own.Allowed(path) {
			out = append(out, files.Real(path))
		}
	}
	return out
}

// place is the absolute place of a folder as the person names it.
func (a *Access) place(folder string) (string, error) {
	if _, err := files.FromURI(folder); err != nil || folder == "" {
		return "", fault.New(fault.Invalid, "%q is not a folder", folder)
	}
	return files.Absolute(a.folder, folder), nil
}

// ParseEntries reads the list of a notebook from its JSON; none is the folder.
func ParseEntries(raw string) []string {
	if raw == "" {
		return []string{WholeFolder}
	}
	var list []any
	out := []string{}
	if json.Unmarshal([]byte(raw), &list) == nil {
		for _, x := range list {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}
