package access

import (
	"os"
	"path/filepath"
	"slices"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
)

// Reach is what an agent may touch (SPEC 4.1), for everything that asks: requests,
// previews, tools, commands and completion.
type Reach struct {
	Folders []string // the places, absolute
	Asked   []string // entries of the notebook outside the folder that the person has not allowed
	Missing []string // entries that do not exist
}

// Of returns what the agent of a notebook may touch: the places that the notebook lists,
// if they are in the folder or the person allowed them, and if every ancestor may touch
// them too. It takes no document's lock.
func (a *Access) Of(n Notebook) Reach {
	r, fellBack := a.own(n)
	entries := n.Entries
	seen := map[string]bool{n.UUID: true}
	for id := n.ParentID; id != "" && !seen[id]; {
		seen[id] = true
		parent, there := a.notebooks.Holder(id)
		if !there {
			break // a parent that is gone limits nothing
		}
		bound, _ := a.own(parent)
		if fellBack && !slices.Equal(entries, parent.Entries) {
			r.Folders = nil // it was meant to have less than its parent, but which places is unknown
		}
		r.Folders = a.Common(r.Folders, bound.Folders)
		id = parent.ParentID
	}
	return r
}

// own is Of without the ancestors. fellBack reports that the notebook lists only foreign absolute
// paths, as it does after its folder was moved; own then uses the folder itself.
func (a *Access) own(n Notebook) (r Reach, fellBack bool) {
	own, err := files.New(a.folder, []string{WholeFolder})
	if err != nil {
		return r, false // the folder is gone
	}
	kept := a.rights.Folders(n.agent())
	given, err := files.New(a.folder, kept)
	if err != nil {
		return r, false
	}
	trusted := len(kept) == 0 || a.trust.Trusted()
	elsewhere := 0
	for _, entry := range n.Entries {
		path := files.Absolute(a.folder, entry)
		_, statErr := os.Stat(path)
		inside := own.Allowed(path)
		allowed := given.Allowed(path) || slices.Contains(kept, path)
		if filepath.IsAbs(entry) && !inside && !allowed {
			elsewhere++
		}
		switch {
		case statErr != nil:
			r.Missing = append(r.Missing, entry)
		case inside, allowed && trusted:
			r.Folders = append(r.Folders, path)
		default:
			r.Asked = append(r.Asked, entry)
		}
	}
	if elsewhere > 0 && elsewhere == len(n.Entries) {
		r.Folders, fellBack = []string{a.folder}, true
	}
	return r, fellBack
}

// At is Of for the notebook at path as it is now.
func (a *Access) At(path string) (Reach, error) {
	n, err := a.notebooks.Notebook(path)
	if err != nil {
		return Reach{}, err
	}
	return a.Of(n), nil
}

// Open opens places for an agent, without the folders of this person's settings
// and state. Relative paths begin at base.
func (a *Access) Open(base string, places []string) (*files.Roots, error) {
	r, err := files.New(base, places)
	if err != nil {
		return nil, err
	}
	return r.Without(a.settings.Private()...), nil
}

// OpenFolder opens the folder for callers that belong to no agent.
func (a *Access) OpenFolder() (*files.Roots, error) {
	return a.Open(a.folder, []string{a.folder})
}

// Roots opens the places that an agent may touch, translated into its work tree if it has one, and
// the places in more unchanged. places lists the former. The error is NotFound if the work tree no
// longer exists.
func (a *Access) Roots(n Notebook, more ...string) (roots *files.Roots, places []string, err error) {
	places = append([]string{}, a.Of(n).Folders...)
	base := a.folder
	if tree, own := a.worktrees.Of(n.UUID); own {
		if tree.Gone() {
			return nil, places, fault.New(fault.NotFound, "the work tree of this agent, %s, is gone: discard it, then the agent works in the folder itself", tree.Folder)
		}
		for i, place := range places {
			places[i] = files.Absolute(a.folder, place)
		}
		places, base = slices.Compact(tree.Translate(places)), tree.State.Workspace()
	}
	roots, err = a.Open(base, append(slices.Clone(places), more...))
	return roots, places, err
}

// RootsAt opens what the agent of the notebook at path may touch, for actions of the
// person in that notebook: seeing an image, opening a file, completing a path.
func (a *Access) RootsAt(path string) (*files.Roots, error) {
	n, err := a.notebooks.Notebook(path)
	if err != nil {
		return nil, err
	}
	roots, _, err := a.Roots(n)
	return roots, err
}

// Common returns the places that two agents may both touch, preferably as the first names
// them.
func (a *Access) Common(first, second []string) []string {
	mine, err := files.New(a.folder, first)
	if err != nil {
		return nil
	}
	theirs, err := files.New(a.folder, second)
	if err != nil {
		return nil
	}
	var both []string
	for _, place := range first {
		if theirs.Allowed(place) {
			both = append(both, place)
		}
	}
	for _, place := range second {
		if mine.Allowed(place) && !slices.ContainsFunc(both, func(x string) bool { return files.Real(x) == files.Real(place) }) {
			both = append(both, place)
		}
	}
	return both
}

// withinParent returns an error unless the agent's parent may touch places. A parent that no longer
// exists imposes no limit.
func (a *Access) withinParent(n Notebook, places []string) error {
	if n.ParentID == "" {
		return nil
	}
	parent, there := a.notebooks.Holder(n.ParentID)
	if !there {
		return nil
	}
	roots, err := files.New(a.folder, a.Of(parent).Folders)
	if err != nil {
		return err
	}
	_, err = roots.Narrow(places)
	return err
}
