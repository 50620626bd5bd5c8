package workspace

import (
	"context"

	"mutsumi/backend/notebook"
	"mutsumi/backend/preferences"
	"mutsumi/backend/settings"
)

// endpoint is where a notebook's model is: its own choice, that of its kind, or
// the default.
func (a *agentKinds) endpoint(m notebook.MetaView, r *role) (settings.Endpoint, error) {
	switch {
	case a.model != "":
		return a.settings.Resolve("", a.model)
	case m.Provider == "" && m.Model == "":
		if e, ok := a.modelFor(r); ok {
			return e, nil
		}
	}
	return a.settings.Resolve(m.Provider, m.Model)
}

// preferencesHost is what package preferences changes the settings of.
func (w *Workspace) preferencesHost() preferences.Host {
	h := preferences.Host{
		Folder: w.folder, Settings: w.settings, Emit: w.out.Emit,
		Changed: func() {
			w.slots.Wake() // there may be more of them
			w.registry.Reprice()
		},
		Start: func(f func(context.Context)) { w.tasks.Go(func() { f(w.ctx) }) },
	}
	if w.connect != nil {
		h.List = func(ctx context.Context, e settings.Endpoint) ([]string, error) { return w.connect(e).List(ctx) }
	}
	return h
}
