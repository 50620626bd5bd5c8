package workspace

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"mutsumi/backend/access"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// rightsHolders is the access.Notebooks of the folder.
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

// foreign reports whether the folder has notebooks that this program did not make, or may have some
// because it was not scanned yet.
func (r rightsHolders) foreign() bool {
	w := r.w
	select {
	case <-w.scanned:
	default:
		return true
	}
	made := w.rights.AllMade()
	if w.quiet { // the folder is not scanned, so something that we made must be there
		return len(made) == 0 || w.registry.Outside() != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(made)), func(a settings.Agent) bool { return a.File == w.registry.PathOf(w.registry.Outside()) })
	}
	return slices.ContainsFunc(w.registry.Summaries(), func(h documents.Summary) bool {
		return !made[settings.Agent{File: h.File, UUID: h.UUID}]
	})
}

// trustedWhenScanned reports whether the folder is trusted, once it was scanned: before that, nobody
// knows what it holds. It returns when ctx ends.
func (w *Workspace) trustedWhenScanned(ctx context.Context) bool {
	select {
	case <-w.scanned:
	case <-ctx.Done():
	}
	return w.trust.Trusted()
}

// permissions lets the interface change what agents may touch, and whether the folder is trusted.
type permissions struct {
	registry     *documents.Registry
	access       *access.Access
	trust        *access.Trust
	out          *event.Outbox
	publishKinds func() // emits the kinds of agents, which depend on trust
	endUntrusted func() // ends the MCP servers and agents that are no longer trusted
}

// AllowFolder lets the agent of a notebook touch a folder or file, see access.Access.Allow.
func (p *permissions) AllowFolder(path, folder string) error { return p.access.Allow(path, folder) }

// DisallowFolder removes a folder from what the agent of a notebook may touch.
func (p *permissions) DisallowFolder(path, folder string) error {
	return p.access.Disallow(path, folder)
}

// Undo undoes the last step, and revokes the rights that the step gave outside the folder.
func (p *permissions) Undo(path string) (documents.EditResult, error) {
	return p.step(path, (*notebook.Document).Undo)
}

// UndoIn is Undo for a person whose caret is in a prompt of the window: text that another window
// typed last stays; see notebook.UndoIn.
func (p *permissions) UndoIn(path, window string) (documents.EditResult, error) {
	return p.step(path, func(nb *notebook.Document) (notebook.Change, error) { return notebook.UndoIn(nb, window) })
}

// Redo repeats the last undone step. What the step allowed outside the folder is allowed again,
// unless the place has changed since.
func (p *permissions) Redo(path string) (documents.EditResult, error) {
	return p.step(path, (*notebook.Document).Redo)
}

// step carries out f, an undo or a redo, and adjusts the agent's rights outside the
// folder.
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

// Trust returns what the folder brings and whether it takes effect.
func (p *permissions) Trust() access.TrustView {
	v := p.trust.View()
	v.Notebooks = p.registry.Count()
	return v
}

// Brought returns the text of a file that the folder brings, by its path relative to the
// folder, so that the person can read it before trusting it.
func (p *permissions) Brought(path string) (string, error) {
	roots, err := p.access.OpenFolder()
	if err != nil {
		return "", err
	}
	return p.trust.Read(path, roots)
}

// TrustFolder stores the person's decision about the folder and what it brings now.
func (p *permissions) TrustFolder(trusted bool) error {
	if err := p.trust.Set(trusted); err != nil {
		return err
	}
	p.publishTrust(true)
	return nil
}

// publishTrust emits the trust in the folder if it changed since the last time, or in any case with
// always.
func (p *permissions) publishTrust(always bool) {
	if !p.trust.Changed() && !always {
		return
	}
	p.endUntrusted()
	p.out.Emit(event.TrustChanged{Trust: p.Trust()})
	p.out.Emit(event.ContextChanged{Rules: true})
	p.publishKinds()
}

// LeftOut lists what has no effect because the person has not trusted or allowed it, in the folder
// and in the notebook at path ("" for none).
func (p *permissions) LeftOut(path string) []string {
	out := p.trust.LeftOut()
	if path != "" {
		if r, err := p.access.At(path); err == nil {
			out = append(out, r.Asked...)
		}
	}
	return out
}
