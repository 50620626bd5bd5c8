package workspace

import (
	"encoding/json"
	"maps"
	"slices"

	"mutsumi/backend/access"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// rightsHolders is what package access asks about the notebooks of the folder.
type rightsHolders struct{ w *Workspace }

// Notebook implements access.Notebooks.
func (r rightsHolders) Notebook(path string) (access.Notebook, error) {
	meta, err := r.w.registry.AgentAt(path)
	return documents.Holder(path, meta), err
}

// Holder implements access.Notebooks.
func (r rightsHolders) Holder(uuid string) (access.Notebook, bool) {
	h, there := r.w.registry.SummaryOf(uuid)
	return access.Notebook{Path: h.File, UUID: h.UUID, ParentID: h.ParentID, Entries: access.ParseEntries(h.Allowed)}, there
}

// Identify implements access.Notebooks.
func (r rightsHolders) Identify(path string) error { return r.w.registry.Own(path) }

// ChangeEntries implements access.Notebooks.
func (r rightsHolders) ChangeEntries(path string, f func(entries []string) ([]string, error)) error {
	return r.w.edits.Change(path, "change allowed folders", func(nb *notebook.Document) (map[string]json.RawMessage, error) {
		entries, err := f(documents.Entries(nb))
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(entries)
		return map[string]json.RawMessage{documents.KeyAllowed: raw}, err
	})
}

// Revoked implements access.Notebooks.
func (r rightsHolders) Revoked(path string) (settings.Agent, *access.Revoked, error) {
	return r.w.runner.Revoked(path)
}

// foreign reports whether there are notebooks that this program did not make,
// or that may be there: nobody has looked yet.
func (r rightsHolders) foreign() bool {
	w := r.w
	select {
	case <-w.scanned:
	default:
		return true
	}
	made := w.rights.AllMade()
	if w.quiet { // nobody looked through the folder: something of ours has to be there
		return len(made) == 0 || w.registry.Outside() != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(made)), func(a settings.Agent) bool { return a.File == w.registry.PathOf(w.registry.Outside()) })
	}
	return slices.ContainsFunc(w.registry.Summaries(), func(h documents.Summary) bool {
		return !made[settings.Agent{File: h.File, UUID: h.UUID}]
	})
}

// permissions are what the person lets agents touch, and whether they trust the folder.
type permissions struct {
	registry     *documents.Registry
	access       *access.Access
	trust        *access.Trust
	out          *event.Outbox
	publishKinds func() // tells of the kinds of agents, some of which trust decides about
}

// AllowFolder lets the agent of a notebook touch a folder or file, see access.Access.Allow.
func (p *permissions) AllowFolder(path, folder string) error { return p.access.Allow(path, folder) }

// DisallowFolder takes a folder back from the agent of a notebook.
func (p *permissions) DisallowFolder(path, folder string) error {
	return p.access.Disallow(path, folder)
}

// Undo takes the last step back, with what it gave the agent outside the folder.
func (p *permissions) Undo(path string) (documents.EditResult, error) {
	return p.step(path, (*notebook.Document).Undo)
}

// Redo brings back the step that was undone last. What that gave the agent
// outside the folder it has again unless something else changed.
func (p *permissions) Redo(path string) (documents.EditResult, error) {
	return p.step(path, (*notebook.Document).Redo)
}

// step takes a step of the notebook back, or brings it again, with what it gave
// the agent outside the folder.
func (p *permissions) step(path string, f func(*notebook.Document) (notebook.Change, error)) (r documents.EditResult, err error) {
	changed, err := p.access.Follow(path, func() (before, after []string, err error) {
		r, err = p.registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
			before = documents.Entries(nb)
			c, err := f(nb)
			after = documents.Entries(nb)
			return c, err
		})
		return before, after, err
	})
	if changed {
		p.out.Emit(event.ContextChanged{Path: path})
	}
	return r, err
}

// Trust says what the folder brings and whether it takes effect.
func (p *permissions) Trust() access.TrustView {
	v := p.trust.View()
	v.Notebooks = p.registry.Count()
	return v
}

// Brought gives the text of a file that trust is about, by its path relative to
// the folder, so that it can be read before anybody trusts it.
func (p *permissions) Brought(path string) (string, error) {
	roots, err := p.access.OpenFolder()
	if err != nil {
		return "", err
	}
	return p.trust.Read(path, roots)
}

// TrustFolder keeps what the person said of the folder, and of what it brings
// now.
func (p *permissions) TrustFolder(trusted bool) error {
	if err := p.trust.Set(trusted); err != nil {
		return err
	}
	p.publishTrust(true)
	return nil
}

// publishTrust tells how the folder stands with the person, when that is another
// way than was told last, or always.
func (p *permissions) publishTrust(always bool) {
	if !p.trust.Changed() && !always {
		return
	}
	p.out.Emit(event.TrustChanged{Trust: p.Trust()})
	p.out.Emit(event.ContextChanged{Rules: true})
	p.publishKinds()
}

// LeftOut lists what does nothing because the person has not said that it may:
// of the folder, and of the notebook at path ("" for none).
func (p *permissions) LeftOut(path string) []string {
	out := p.trust.LeftOut()
	if path != "" {
		if r, err := p.access.At(path); err == nil {
			out = append(out, r.Asked...)
		}
	}
	return out
}
