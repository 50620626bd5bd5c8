package workspace

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// keyAllowed is where a notebook lists what its agent may touch.
const keyAllowed = "allowed_uris"

// wholeFolder is the entry for the workspace folder, and what counts where a
// notebook has no list. It still holds when the folder is moved or cloned.
const wholeFolder = "."

// reach is what an agent may touch (SPEC 4.1). Everything that asks gets the
// same answer: what is sent, what is shown, tools, commands and completion.
type reach struct {
	folders []string // absolute places that count
	asked   []string // entries of the notebook that lead out of the folder, and that the person has not allowed
	missing []string // entries that are not there
}

// reachOf gives what the agent of a notebook may touch, by what the notebook
// says, what the person allowed it outside the folder, and what each agent
// above it may touch. No document's lock is taken.
func (w *Workspace) reachOf(path string, meta notebook.MetaView) reach {
	r, fellBack := w.ownReach(settings.Agent{File: path, UUID: meta.UUID}, meta.Allowed)
	entries := meta.Allowed
	seen := map[string]bool{meta.UUID: true}
	for id := meta.ParentID; id != "" && !seen[id]; {
		seen[id] = true
		parent, there := w.headOf(id)
		if !there {
			break // a parent that is gone has nothing to say
		}
		above := allowedIn(parent.allowed)
		bound, _ := w.ownReach(settings.Agent{File: parent.File, UUID: parent.UUID}, above)
		if fellBack && !slices.Equal(entries, above) {
			r.folders = nil // it was meant to have less than its parent, and nobody knows what
		}
		r.folders = w.common(r.folders, bound.folders)
		id = parent.ParentID
	}
	return r
}

// ownReach is reachOf without the agents above. fellBack reports that the
// notebook names only places elsewhere that mean nothing here, as one does
// that was made where the folder was before: the folder itself counts then.
func (w *Workspace) ownReach(a settings.Agent, entries []string) (r reach, fellBack bool) {
	own, err := files.New(w.folder, []string{wholeFolder})
	if err != nil {
		return r, false // the folder is gone
	}
	kept := w.rights.Folders(a)
	given, err := files.New(w.folder, kept)
	if err != nil {
		return r, false
	}
	trusted := len(kept) == 0 || w.trusted()
	elsewhere := 0
	for _, entry := range entries {
		path := absoluteIn(w.folder, entry)
		_, statErr := os.Stat(path)
		inside := own.Allowed(path)
		allowed := given.Allowed(path) || slices.Contains(kept, path)
		if filepath.IsAbs(entry) && !inside && !allowed {
			elsewhere++
		}
		switch {
		case statErr != nil:
			r.missing = append(r.missing, entry)
		case inside, allowed && trusted:
			r.folders = append(r.folders, path)
		default:
			r.asked = append(r.asked, entry)
		}
	}
	if elsewhere > 0 && elsewhere == len(entries) {
		r.folders, fellBack = []string{w.folder}, true
	}
	return r, fellBack
}

// reachNow is reachOf for the notebook as it is now.
func (w *Workspace) reachNow(path string) (reach, notebook.MetaView, error) {
	meta, err := w.meta(path)
	if err != nil {
		return reach{}, meta, err
	}
	return w.reachOf(path, meta), meta, nil
}

// roots opens places for an agent, without the folders of this person's
// settings and state.
func (w *Workspace) roots(base string, places []string) (*files.Roots, error) {
	r, err := files.New(base, places)
	if err != nil {
		return nil, err
	}
	return r.Without(w.settings.Private()...), nil
}

// rootsOf is what an agent may touch, where it works: the folder, or what
// stands for its places in its work tree. meta gets these places; more are
// further ones as they are.
func (w *Workspace) rootsOf(path string, meta *notebook.MetaView, more ...string) (*files.Roots, error) {
	meta.Allowed = append([]string{}, w.reachOf(path, *meta).folders...)
	g, own := w.groundOf(meta.UUID)
	if !own {
		return w.roots(w.folder, append(slices.Clone(meta.Allowed), more...))
	}
	if g.Gone() {
		return nil, fault.New(fault.NotFound, "the work tree of this agent, %s, is not there any more: discard it, then the agent works in the folder itself", g.Folder)
	}
	meta.Allowed = g.translate(meta.Allowed)
	return w.roots(g.Place.Workspace(), append(slices.Clone(meta.Allowed), more...))
}

func isEmpty(s string) bool { return s == "" }

// rootsNow opens what the agent of a notebook may touch, for what the person
// does in its name: seeing an image, opening a file, completing a path.
func (w *Workspace) rootsNow(path string) (*files.Roots, error) {
	meta, err := w.meta(path)
	if err != nil {
		return nil, err
	}
	return w.rootsOf(path, &meta)
}

// common gives the places that two agents may both touch, as the first names
// them where it can.
func (w *Workspace) common(a, b []string) []string {
	mine, err := files.New(w.folder, a)
	if err != nil {
		return nil
	}
	theirs, err := files.New(w.folder, b)
	if err != nil {
		return nil
	}
	var both []string
	for _, place := range a {
		if theirs.Allowed(place) {
			both = append(both, place)
		}
	}
	for _, place := range b {
		if mine.Allowed(place) && !slices.ContainsFunc(both, func(x string) bool { return real(x) == real(place) }) {
			both = append(both, place)
		}
	}
	return both
}

// entryFor is how a notebook names a place: relative to the folder where it
// lies in it, so that the folder can be moved.
func (w *Workspace) entryFor(path string) string {
	if rel, err := filepath.Rel(w.folder, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

func (w *Workspace) entriesFor(places []string) []string {
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = w.entryFor(p)
	}
	return out
}

// outsideOf lists the places that are not in the folder, links followed.
func (w *Workspace) outsideOf(places []string) (out []string) {
	own, err := files.New(w.folder, []string{wholeFolder})
	for _, p := range places {
		if path := absoluteIn(w.folder, p); err != nil || !own.Allowed(path) {
			out = append(out, real(path))
		}
	}
	return out
}

// allowedIn reads the list of a notebook from its JSON; none is the folder.
func allowedIn(raw string) []string {
	if raw == "" {
		return []string{wholeFolder}
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

// AllowFolder lets the agent of a notebook touch a folder or file. One outside
// the workspace is kept in the person's state folder: what a notebook asks for
// there does nothing before. A child gets at most what its parent has.
func (w *Workspace) AllowFolder(path, folder string) error {
	place, err := w.placeNamed(folder)
	if err != nil {
		return err
	}
	if _, err := os.Stat(place); err != nil {
		return fault.New(fault.NotFound, "Could not allow %s: there is no such folder.", folder)
	}
	open, err := w.roots(w.folder, []string{place})
	if err != nil {
		return err
	}
	if !open.Allowed(place) {
		return fault.New(fault.Denied, "Could not allow %s: it holds Mutsumi's own settings, which no agent may touch.", folder)
	}
	if err := w.withinParent(path, []string{place}); err != nil {
		return err
	}
	if err := w.own(path); err != nil {
		return err
	}
	meta, err := w.meta(path)
	if err != nil {
		return err
	}
	if outside := w.outsideOf([]string{place}); len(outside) > 0 {
		if !w.trusted() {
			return fault.New(fault.Denied, "Could not allow %s: this folder is not trusted, and its agents stay in it. Trust it first.", folder)
		}
		if err := w.rights.Give(settings.Agent{File: path, UUID: meta.UUID}, outside[0]); err != nil {
			return err
		}
	}
	return w.changeAllowed(path, func(entries []string) ([]string, error) {
		if slices.ContainsFunc(entries, func(e string) bool { return absoluteIn(w.folder, e) == place }) {
			return entries, nil
		}
		return append(entries, w.entryFor(place)), nil
	})
}

// DisallowFolder takes a folder back from the agent of a notebook.
func (w *Workspace) DisallowFolder(path, folder string) error {
	place, err := w.placeNamed(folder)
	if err != nil {
		return err
	}
	meta, err := w.meta(path)
	if err != nil {
		return err
	}
	names := func(e string) bool { return e == folder || absoluteIn(w.folder, e) == place }
	err = w.changeAllowed(path, func(entries []string) ([]string, error) {
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
	return w.rights.Take(settings.Agent{File: path, UUID: meta.UUID}, real(place))
}

func (w *Workspace) placeNamed(folder string) (string, error) {
	if _, err := files.FromURI(folder); err != nil || folder == "" {
		return "", fault.New(fault.Invalid, "%q is not a folder", folder)
	}
	return absoluteIn(w.folder, folder), nil
}

// changeAllowed changes the list of a notebook as it is now, as one undo step.
func (w *Workspace) changeAllowed(path string, f func(entries []string) ([]string, error)) error {
	return w.changeMeta(path, "change allowed folders", func(nb *notebook.Document) (map[string]json.RawMessage, error) {
		entries, err := f(allowedIn(string(nb.Raw(keyAllowed))))
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(entries)
		return map[string]json.RawMessage{keyAllowed: raw}, err
	})
}

// withinParent checks that places are within what the parent of a notebook's
// agent may touch. A parent that is not there any more has nothing to say.
func (w *Workspace) withinParent(path string, places []string) error {
	meta, err := w.meta(path)
	if err != nil || meta.ParentID == "" {
		return err
	}
	parent, there := w.headOf(meta.ParentID)
	if !there {
		return nil
	}
	bound := w.reachOf(parent.File, notebook.MetaView{UUID: parent.UUID, ParentID: parent.ParentID, Allowed: allowedIn(parent.allowed)})
	roots, err := files.New(w.folder, bound.folders)
	if err != nil {
		return err
	}
	_, err = roots.Narrow(places)
	return err
}
