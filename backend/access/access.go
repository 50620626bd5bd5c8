// Package access decides what an agent may touch, and whether the rules, kinds and tool calls from
// a folder take effect. References, images, previews, completion, tools and commands all ask it.
// Only the person can allow places outside the folder (settings.Rights); no file can.
//
// Package approval decides about commands.
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

// WholeFolder is the entry for the workspace folder, and the default for a notebook
// without a list. It stays valid when the folder is moved or cloned.
const WholeFolder = "."

// Notebook is what a notebook records about its agent.
type Notebook struct {
	Path     string // of its file, relative to the folder with slashes
	UUID     string // "": none of its own
	ParentID string
	Entries  []string // its list of what the agent may touch
}

func (n Notebook) agent() settings.Agent { return settings.Agent{File: n.Path, UUID: n.UUID} }

// Notebooks provides what Access needs to know about the notebooks of the folder. Its
// methods may be called under Access's lock, so they must not call Access.
type Notebooks interface {
	// Notebook reads the agent's settings from the notebook at path.
	Notebook(path string) (Notebook, error)
	// Holder returns the notebook with a uuid, if it exists. It takes no document's lock.
	Holder(uuid string) (Notebook, bool)
	// Identify gives the notebook a uuid of its own where it has none.
	Identify(path string) error
	// ChangeEntries changes the notebook's list as one undo step.
	ChangeEntries(path string, f func(entries []string) ([]string, error)) error
	// Revoked returns the agent of an open notebook, and what undo took from it.
	Revoked(path string) (settings.Agent, *Revoked, error)
}

// Access decides what the agents of one folder may touch. It is safe for concurrent
// use.
type Access struct {
	folder    string
	settings  *settings.Store
	rights    *settings.Rights
	trust     *Trust
	worktrees *worktree.Store
	notebooks Notebooks
	changing  lock.Mutex // one place at a time is given, or taken back; before the documents' locks
}

// New returns the Access of a folder, which is absolute.
func New(folder string, s *settings.Store, rights *settings.Rights, trust *Trust, worktrees *worktree.Store, notebooks Notebooks) *Access {
	return &Access{folder: folder, settings: s, rights: rights, trust: trust, worktrees: worktrees, notebooks: notebooks}
}

// Entry returns how a notebook names a place: relative to the folder if the place is inside it, so
// that the folder can be moved.
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

// Outside returns the places that are not inside the folder, links followed.
func (a *Access) Outside(places []string) (out []string) {
	own, err := files.New(a.folder, []string{WholeFolder})
	for _, p := range places {
		if path := files.Absolute(a.folder, p); err != nil || !own.Allowed(path) {
			out = append(out, files.Real(path))
		}
	}
	return out
}

// place returns the absolute path of a folder that the person named.
func (a *Access) place(folder string) (string, error) {
	if _, err := files.FromURI(folder); err != nil || folder == "" {
		return "", fault.New(fault.Invalid, "%q is not a folder", folder)
	}
	return files.Absolute(a.folder, folder), nil
}

// ParseEntries reads the list of a notebook from its JSON; "" means the folder.
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
