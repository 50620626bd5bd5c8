package workspace

import (
	"context"

	"mutsumi/backend/documents"
	"mutsumi/backend/preferences"
	"mutsumi/backend/settings"
)

// documentsHost is the documents.Host of the folder.
type documentsHost struct{ w *Workspace }

// NewWork implements documents.Host.
func (h documentsHost) NewWork(live *documents.Live) (any, documents.Work) {
	return h.w.runner.NewWork(live)
}

// TreeChanged implements documents.Host.
func (h documentsHost) TreeChanged() { h.w.attention.Changed() }

// Opened implements documents.Host.
func (h documentsHost) Opened(a settings.Agent) { h.w.approvals.Grants().LoadFor(a) }

// AgentsChanged implements documents.Host.
func (h documentsHost) AgentsChanged(uuids map[string]bool, lost []string) {
	h.w.approvals.Grants().Load(uuids)
	h.w.approvals.Grants().Forget(lost...)
	h.w.runner.AgentsChanged()
}

// Renamed implements documents.Host.
func (h documentsHost) Renamed(from, to string) { h.w.approvals.Inbox().Move(from, to) }

// MayRenameCopy implements documents.Host: it is true in a folder that the person trusts and, as
// long as nothing was decided, for a copy of a notebook that this program made. Nothing is written
// unasked into a folder from elsewhere.
func (h documentsHost) MayRenameCopy(original settings.Agent) bool {
	s := h.w.trust.Standing()
	return s.Trusted || !s.Asked && h.w.rights.AllMade()[original]
}

// EndedElsewhere implements documents.Host.
func (h documentsHost) EndedElsewhere() { h.w.runner.AgentsChanged() }

// preferencesHost returns the preferences.Host of the folder.
func (w *Workspace) preferencesHost() preferences.Host {
	h := preferences.Host{
		Folder: w.folder, Settings: w.settings, Emit: w.out.Emit,
		Changed: func() {
			w.runner.SlotsChanged() // there may be more slots
			w.registry.Reprice()
			w.servers.Recheck() // some may no longer be set up
		},
		Start: func(f func(context.Context)) { w.tasks.Go(func() { f(w.ctx) }) },
	}
	if w.connect != nil {
		h.List = func(ctx context.Context, e settings.Endpoint) ([]string, error) { return w.connect(e).List(ctx) }
	}
	return h
}
