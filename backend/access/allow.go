package access

import (
	"os"
	"slices"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/settings"
)

// What the person gives an agent outside the folder is in the state folder,
// beside the notebook's undo history. An undo that takes the entry back takes
// the gift along.

// Allow lets the agent of a notebook touch a folder or file. One outside the
// folder is kept in the person's state folder: what a notebook asks for there
// does nothing before. A child gets at most what its parent has. Errors:
// NotFound, Denied, and those of the notebook.
func (a *Access) Allow(path, folder string) error {
	place, err := a.place(folder)
	if err != nil {
		return err
	}
	if _, err := os.Stat(place); err != nil {
		return fault.New(fault.NotFound, "Could not allow %s: there is no such folder.", folder)
	}
	open, err := a.Open(a.folder, []string{place})
	if err != nil {
		return err
	}
	if !open.Allowed(place) {
		return fault.New(fault.Denied, "Could not allow %s: it holds Mutsumi's own settings, which no agent may touch.", folder)
	}
	a.changing.Lock()
	defer a.changing.Unlock()
	n, err := a.notebooks.Notebook(path)
	if err != nil {
		return err
	}
	if err := a.withinParent(n, []string{place}); err != nil {
		return err
	}
	if err := a.notebooks.Identify(path); err != nil {
		return err
	}
	if n, err = a.notebooks.Notebook(path); err != nil {
		return err
	}
	if outside := a.Outside([]string{place}); len(outside) > 0 {
		if !a.trust.Trusted() {
			return fault.New(fault.Denied, "Could not allow %s: this folder is not trusted, and its agents stay in it. Trust it first.", folder)
		}
		if err := a.rights.Give(n.agent(), outside[0]); err != nil {
			return err
		}
	}
	return a.notebooks.ChangeEntries(path, func(entries []string) ([]string, error) {
		if slices.ContainsFunc(entries, func(e string) bool { return files.Absolute(a.folder, e) == place }) {
			return entries, nil
		}
		return append(entries, a.Entry(place)), nil
	})
}

// Disallow takes a folder back from the agent of a notebook.
func (a *Access) Disallow(path, folder string) error {
	place, err := a.place(folder)
	if err != nil {
		return err
	}
	n, err := a.notebooks.Notebook(path)
	if err != nil {
		return err
	}
	a.changing.Lock()
	defer a.changing.Unlock()
	names := func(e string) bool { return e == folder || files.Absolute(a.folder, e) == place }
	err = a.notebooks.ChangeEntries(path, func(entries []string) ([]string, error) {
		left := slices.DeleteFunc(slices.Clone(entries), names)
		switch {
		case len(left) == len(entries):
			return nil, fault.New(fault.NotFound, "%s is not among the folders of this notebook", folder)
		case len(left) == 0:
			return nil, fault.New(fault.Invalid, "an agent needs at least one folder that it may touch")
		}
		return left, nil
	})
	if err != nil {
		return err
	}
	return a.rights.Take(n.agent(), files.Real(place))
}

// Revoked is what undo took from an agent, by place. It lives as long as the undo
// history of the notebook. The zero value holds nothing.
type Revoked struct{ places map[string]revokedPlace } // under Access.changing

// revokedPlace is a place that an undo took back.
type revokedPlace struct {
	to settings.Agent
	is os.FileInfo // the folder or file as it was then
}

// Follow carries out a step of a notebook's undo history, which returns its list
// before and after, and has what was given to its agent follow. changed reports
// whether the list is another one now.
func (a *Access) Follow(path string, step func() (before, after []string, err error)) (changed bool, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	before, after, err := step()
	if err != nil || slices.Equal(before, after) {
		return false, err
	}
	return true, a.syncRights(path, a.places(before), a.places(after))
}

// syncRights has what was given to the agent of a notebook follow the places of
// its list through an undo or a redo. Under a.changing.
func (a *Access) syncRights(path string, was, is []string) error {
	to, revoked, err := a.notebooks.Revoked(path)
	if err != nil {
		return err
	}
	if revoked.places == nil {
		revoked.places = map[string]revokedPlace{}
	}
	for _, place := range was {
		if slices.Contains(is, place) || !slices.Contains(a.rights.Folders(to), place) {
			continue
		}
		if info, err := os.Stat(place); err == nil {
			revoked.places[place] = revokedPlace{to, info}
		}
		if err := a.rights.Take(to, place); err != nil {
			return err
		}
	}
	for _, place := range is {
		given, known := revoked.places[place]
		if slices.Contains(was, place) || !known {
			continue
		}
		delete(revoked.places, place)
		now, err := os.Stat(place)
		if err != nil || !os.SameFile(now, given.is) || given.to != to || !a.trust.Trusted() {
			continue // it is asked about, as if the notebook had come with it
		}
		if n, err := a.notebooks.Notebook(path); err != nil || a.withinParent(n, []string{place}) != nil {
			continue
		}
		if err := a.rights.Give(to, place); err != nil {
			return err
		}
	}
	return nil
}

// places returns the places that entries of a notebook name, links followed.
func (a *Access) places(entries []string) []string {
	places := make([]string, len(entries))
	for i, entry := range entries {
		places[i] = files.Real(files.Absolute(a.folder, entry))
	}
	return places
}
