package access

import (
	"os"
	"slices"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/settings"
)

// The person's permission for a place outside the folder is kept in the state folder,
// not in the notebook. Undo and redo of the notebook's list change it along.

// Allow lets the agent of a notebook touch a folder or file. A place outside the folder
// takes effect only by this call, whatever the notebook lists. A child gets at most what
// its parent has. Errors: NotFound, Denied, and those of the notebook.
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

// Disallow removes a folder or file from what the agent of a notebook may touch.
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

// Revoked remembers the places that undo revoked from an agent, so that redo can allow
// them again. It lives as long as the undo history of the notebook. The zero value is
// empty.
type Revoked struct{ places map[string]revokedPlace } // under Access.changing

// revokedPlace is a place that undo revoked.
type revokedPlace struct {
	to settings.Agent
	is os.FileInfo // the folder or file as it was then
}

// Follow carries out a step of a notebook's undo history, which returns the notebook's
// list before and after, and changes the agent's rights accordingly. changed reports
// whether the list changed.
func (a *Access) Follow(path string, step func() (before, after []string, err error)) (changed bool, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	before, after, err := step()
	if err != nil || slices.Equal(before, after) {
		return false, err
	}
	return true, a.syncRights(path, a.places(before), a.places(after))
}

// syncRights revokes the places that an undo removed from a notebook's list (was, is), and allows
// again those that a redo restored. a.changing must be held.
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
			continue // the person is asked about it, as for an entry of a foreign notebook
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
