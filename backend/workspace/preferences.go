package workspace

import (
	"context"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// testTime is how long a provider may take to answer a test.
const testTime = 20 * time.Second

// anyModel names no model: a list of models is asked of the provider alone.
const anyModel = "any"

// endpoint is where a notebook's model is: its own choice, that of its kind, or
// the default.
func (w *Workspace) endpoint(m notebook.MetaView, r *role) (settings.Endpoint, error) {
	switch {
	case w.model != "":
		return w.settings.Resolve("", w.model)
	case m.Provider == "" && m.Model == "":
		if e, ok := w.modelOf(r); ok {
			return e, nil
		}
	}
	return w.settings.Resolve(m.Provider, m.Model)
}

// Settings gives the settings without any key.
func (w *Workspace) Settings() (settings.View, error) { return w.settings.View(), nil }

// SavePreferences replaces the preferences.
func (w *Workspace) SavePreferences(p settings.Preferences) error {
	return w.tellSettings(w.settings.SavePreferences(p))
}

// SaveProvider adds or replaces a provider and returns its id.
func (w *Workspace) SaveProvider(p settings.ProviderInput) (string, error) {
	id, err := w.settings.SaveProvider(p)
	return id, w.tellSettings(err)
}

// DeleteProvider removes a provider and its key.
func (w *Workspace) DeleteProvider(id string) error {
	return w.tellSettings(w.settings.DeleteProvider(id))
}

// SetKey puts a provider's key into the system's keyring; "" removes it.
func (w *Workspace) SetKey(provider, key string) error {
	return w.tellSettings(w.settings.SetKey(provider, key))
}

func (w *Workspace) tellSettings(err error) error {
	if err == nil {
		w.out.Emit(event.SettingsChanged{File: w.settings.Path()})
		w.seats.look() // there may be more of them
		w.repriced()
	}
	return err
}

// TestConnection asks a provider for its models. The answer comes as an event
// that carries the id returned; models that are new go into the settings.
func (w *Workspace) TestConnection(provider string) (string, error) {
	id := newID()
	endpoint, err := w.settings.Resolve(provider, anyModel)
	if err != nil {
		return "", err
	}
	w.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, testTime)
		defer cancel()
		start := time.Now()
		models, err := w.connect(endpoint).List(ctx)
		if err == nil {
			err = w.settings.MergeModels(provider, models)
		}
		if models == nil {
			models = []string{}
		}
		w.out.Emit(event.ConnectionTested{
			ID: id, Provider: provider, Models: models, TookMs: time.Since(start).Milliseconds(), Fault: fault.Of(err),
		})
		if err == nil {
			w.tellSettings(nil)
		}
	})
	return id, nil
}

// AskEnvironment fetches the models of the provider that OPENAI_BASE_URL and
// OPENAI_API_KEY make, when none of them is known: without a list there is
// none to pick. A server that does not answer is left to the first run, which
// says why.
func (w *Workspace) AskEnvironment(ctx context.Context) {
	for _, p := range w.settings.View().Providers {
		if p.ID != settings.EnvironmentID || len(p.Models) > 0 || w.connect == nil {
			continue
		}
		endpoint, err := w.settings.Resolve(p.ID, anyModel)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, testTime)
		defer cancel()
		models, err := w.connect(endpoint).List(ctx)
		if err == nil && w.settings.MergeModels(p.ID, models) == nil {
			w.tellSettings(nil)
		}
	}
}

// discover looks for model servers on this machine.
func (w *Workspace) discover() {
	w.tasks.Go(func() { w.AskEnvironment(w.ctx) })
	w.tasks.Go(func() {
		if w.settings.SetDiscovered(settings.Discover(w.ctx)) {
			w.tellSettings(nil)
		}
	})
}

// SaveUI keeps how the window looks for the next time.
func (w *Workspace) SaveUI(s settings.UIState) error {
	return w.settings.KeepUI(w.folder, func(kept *settings.UIState) {
		s.Window = kept.Window // the window itself knows its size
		*kept = s
	})
}

// WindowState is the size that the window had last.
func (w *Workspace) WindowState() settings.WindowState {
	s := w.settings.UI(w.folder).Window
	if s.Width < 900 || s.Height < 600 {
		s.Width, s.Height = 1280, 840
	}
	return s
}

// KeepWindow keeps the size of the window for the next time. A maximised
// window keeps the size that it had before.
func (w *Workspace) KeepWindow(width, height int, maximised bool) error {
	return w.settings.KeepUI(w.folder, func(kept *settings.UIState) {
		kept.Window.Maximised = maximised
		if !maximised {
			kept.Window.Width, kept.Window.Height = width, height
		}
	})
}

// Dark reports whether the person chose the dark theme.
func (w *Workspace) Dark() bool { return w.settings.View().Preferences.Theme == "dark" }
