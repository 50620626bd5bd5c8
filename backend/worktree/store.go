package worktree

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"mutsumi/backend/atomicfile"
	"mutsumi/backend/clip"
	"mutsumi/backend/lock"
)

// Assignment records that an agent works in a work tree.
type Assignment struct {
	State
	Workspace string `json:"workspace"`       // the folder that was open
	Owner     string `json:"owner,omitempty"` // uuid of the ancestor that owns the work tree; "": its own
	Name      string `json:"name,omitempty"`  // of the agent that the tree was made for
}

// Shared reports whether the agent works in the work tree of an ancestor.
func (a Assignment) Shared() bool { return a.Owner != "" }

// Translate maps absolute places in the folder to those in the work tree. A
// place above the folder becomes the whole work tree; others are left out.
func (a Assignment) Translate(places []string) []string {
	out := []string{}
	for _, place := range places {
		if rel, err := filepath.Rel(a.Workspace, place); err == nil && filepath.IsLocal(rel) {
			out = append(out, filepath.Join(a.State.Workspace(), rel))
		} else if rel, err := filepath.Rel(place, a.Workspace); err == nil && filepath.IsLocal(rel) {
			out = append(out, a.State.Workspace())
		}
	}
	return out
}

// Store records which agents of a folder work in which work trees, by the uuid of their notebooks.
// It is in the person's state folder: a notebook itself could name any folder. It is safe for
// concurrent use.
type Store struct {
	dir, workspace string
	mu             lock.Mutex // held by Do
}

// NewStore returns the store of the folder workspace, in dir, which need not exist.
func NewStore(dir, workspace string) *Store { return &Store{dir: dir, workspace: workspace} }

// folder is the folder for a uuid's data. The uuid must be one element of a path: the caller has
// checked that.
func (s *Store) folder(uuid string) string { return filepath.Join(s.dir, uuid) }

// Of returns where an agent works; it returns false when that is the folder itself.
func (s *Store) Of(uuid string) (a Assignment, ok bool) {
	if uuid == "" || !filepath.IsLocal(uuid) || filepath.Base(uuid) != uuid {
		return a, false
	}
	raw, err := os.ReadFile(filepath.Join(s.folder(uuid), "place.json"))
	if err != nil || json.Unmarshal(raw, &a) != nil || a.Workspace != s.workspace {
		return Assignment{}, false
	}
	return a, true
}

// All returns the assignments of the folder, by uuid, whether or not the notebooks exist.
func (s *Store) All() (map[string]Assignment, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	all := map[string]Assignment{}
	for _, e := range entries {
		if a, ok := s.Of(e.Name()); ok {
			all[e.Name()] = a
		}
	}
	return all, nil
}

// Share has an agent work where its parent works, if that has a work tree.
func (s *Store) Share(parent, child string) error {
	a, ok := s.Of(parent)
	if !ok {
		return nil
	}
	if a.Owner == "" {
		a.Owner = parent
	}
	return s.save(child, a)
}

// Make gives an agent a work tree of its own, made from where its parent works.
func (s *Store) Make(ctx context.Context, parent, child, name string) error {
	from := s.workspace
	if a, ok := s.Of(parent); ok {
		from = a.State.Workspace()
	}
	p, err := Make(ctx, from, filepath.Join(s.folder(child), "tree"), "mutsumi/"+branchName(name)+"-"+child[:min(8, len(child))])
	if err != nil {
		return err
	}
	return s.save(child, Assignment{State: p, Workspace: s.workspace, Name: name})
}

func (s *Store) save(uuid string, a Assignment) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.folder(uuid), "place.json"), raw)
}

// Do calls f while nobody else looks at, merges or discards a work tree of the store. Git may take
// long: take no other contended lock.
func (s *Store) Do(f func(*Exclusive) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(&Exclusive{s})
}

// Exclusive is the store within Do.
type Exclusive struct{ *Store }

// Move saves the new state of an agent's own work tree.
func (e *Exclusive) Move(uuid string, a Assignment, now State) error {
	a.State = now
	return e.save(uuid, a)
}

// Discard removes an agent's own work tree with all work in it; the agent, and those that share it,
// work in the folder from then on.
func (e *Exclusive) Discard(ctx context.Context, uuid string, a Assignment) error {
	if err := Discard(ctx, a.State); err != nil {
		return err
	}
	all, err := e.All()
	if err != nil {
		return err
	}
	for of, other := range all {
		if of == uuid || other.Owner == uuid {
			if err := e.Forget(of); err != nil {
				return err
			}
		}
	}
	return nil
}

// Forget removes the data of an agent that works in another one's work tree.
func (e *Exclusive) Forget(uuid string) error { return os.RemoveAll(e.folder(uuid)) }

// branchName makes a part of a branch's name of an agent's name.
func branchName(name string) string { return cmp.Or(clip.Slug(name, 40), "agent") }
