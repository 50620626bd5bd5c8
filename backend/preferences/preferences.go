// Package preferences carries out the person's changes of the settings: preferences, providers and
// their keys, and the state of the window. It asks providers for their models, and looks for
// servers on this machine.
//
// The settings themselves are in package settings. Package workspace embeds an Editor, so that its
// methods are the workspace's.
package preferences

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/settings"
)

// testTime is how long a provider may take to answer a test.
const testTime = 20 * time.Second

// anyModel names no model: a list of models is requested from the provider alone.
const anyModel = "any"

// Host is the owner of the settings.
type Host struct {
	Folder   string // the open folder, absolute
	Settings *settings.Store
	// List asks a provider for its models; nil if that is not possible.
	List func(context.Context, settings.Endpoint) ([]string, error)
	// Emit notifies the interface.
	Emit func(event.Event) uint64
	// Changed is called after the settings changed, before anything else is published.
	Changed func()
	// Start runs a function in the background, which ends with its context.
	Start func(func(context.Context))
}

// Editor changes settings for the person. It is safe for concurrent use.
type Editor struct {
	host  Host
	tests lock.Guarded[map[string]context.CancelFunc] // ends the last test of each provider
}

// New makes an editor.
func New(h Host) *Editor { return &Editor{host: h} }

// Settings returns the settings without any key.
func (e *Editor) Settings() (settings.View, error) { return e.host.Settings.View(), nil }

// Language returns the language of the interface, "en" or "zh-CN": the chosen one, or the one in a
// page's header Accept-Language (SPEC 16.3). What the program says outside of the page is in it too.
func (e *Editor) Language(accept string) string {
	if accept != "" {
		e.host.Settings.PageAccepts(accept)
	}
	return e.host.Settings.Language()
}

// ChangePreferences changes what differs between two versions of the preferences, and nothing else.
func (e *Editor) ChangePreferences(from, to settings.Preferences) error {
	return e.publish(e.host.Settings.ChangePreferences(from, to))
}

// SaveProvider adds or replaces a provider and returns its id.
func (e *Editor) SaveProvider(p settings.ProviderInput) (string, error) {
	id, err := e.host.Settings.SaveProvider(p)
	return id, e.publish(err)
}

// DeleteProvider removes a provider and its key.
func (e *Editor) DeleteProvider(id string) error {
	return e.publish(e.host.Settings.DeleteProvider(id))
}

// SetSessionKey keeps a provider's key in memory, until the program ends.
func (e *Editor) SetSessionKey(provider, key string) error {
	return e.publish(e.host.Settings.SetSessionKey(provider, key))
}

// SetKey puts a provider's key into the system's keyring; "" removes it.
func (e *Editor) SetKey(provider, key string) error {
	return e.publish(e.host.Settings.SetKey(provider, key))
}

// FollowSettings reports changes that others make in the file of settings,
// until stop is called.
func (e *Editor) FollowSettings() (stop func()) {
	return e.host.Settings.Watch(func() { e.publish(nil) })
}

// publish reports a change, unless it failed.
func (e *Editor) publish(err error) error {
	if err == nil {
		e.host.Emit(event.SettingsChanged{File: e.host.Settings.Path()})
		e.host.Changed()
	}
	return err
}

// TestConnection asks a provider for its models. The answer comes as an event
// that carries the id returned; models that are new go into the settings.
// A test takes the place of an earlier one of the provider, whose answer is of no
// interest any more: it may come from another address.
func (e *Editor) TestConnection(provider string) (string, error) {
	id := uuid.NewString()
	endpoint, err := e.host.Settings.Resolve(provider, anyModel)
	if err != nil {
		return "", err
	}
	current := e.newTest(provider)
	e.host.Start(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, testTime)
		defer cancel()
		defer context.AfterFunc(current, cancel)()
		start := time.Now()
		models, err := e.host.List(ctx, endpoint)
		if current.Err() != nil {
			return
		}
		if err == nil {
			err = e.host.Settings.MergeModels(provider, models)
		}
		if models == nil {
			models = []string{}
		}
		e.host.Emit(event.ConnectionTested{
			ID: id, Provider: provider, Models: models, TookMs: time.Since(start).Milliseconds(), Fault: fault.Of(err),
		})
		if err == nil {
			e.publish(nil)
		}
	})
	return id, nil
}

// newTest returns a context that ends with the next test of the provider.
func (e *Editor) newTest(provider string) context.Context {
	current, cancel := context.WithCancel(context.Background())
	e.tests.Do(func(tests *map[string]context.CancelFunc) {
		if *tests == nil {
			*tests = map[string]context.CancelFunc{}
		}
		if end := (*tests)[provider]; end != nil {
			end()
		}
		(*tests)[provider] = cancel
	})
	return current
}

// AskEnvironment fetches the models of the provider defined by OPENAI_BASE_URL and OPENAI_API_KEY
// if none of them is known: without a list there is none to pick. If the server does not answer,
// the first run reports why.
func (e *Editor) AskEnvironment(ctx context.Context) {
	if !e.environmentUnlisted() {
		return
	}
	endpoint, err := e.host.Settings.Resolve(settings.EnvironmentID, anyModel)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	models, err := e.host.List(ctx, endpoint)
	if err == nil && e.host.Settings.MergeModels(settings.EnvironmentID, models) == nil {
		e.publish(nil)
	}
}

// environmentUnlisted reports whether the environment defines a provider whose models are not known
// and can be asked for.
func (e *Editor) environmentUnlisted() bool {
	return e.host.List != nil && slices.ContainsFunc(e.host.Settings.View().Providers, func(p settings.ProviderView) bool {
		return p.ID == settings.EnvironmentID && len(p.Models) == 0
	})
}

// Discover asks the environment's provider for its models, and looks for model servers on this
// machine, both in the background. Prompts wait for the first (settings.Asking), if there is one.
func (e *Editor) Discover() {
	if e.environmentUnlisted() {
		done := e.host.Settings.Asking.Begin()
		e.host.Start(func(ctx context.Context) {
			defer done()
			e.AskEnvironment(ctx)
		})
	}
	e.host.Start(func(ctx context.Context) {
		if e.host.Settings.SetDiscovered(settings.Discover(ctx)) {
			e.publish(nil)
		}
	})
}

// SaveUI stores the state of the window for the next time.
func (e *Editor) SaveUI(s settings.UIState) error {
	return e.host.Settings.KeepUI(e.host.Folder, func(kept *settings.UIState) { kept.Take(s) })
}

// WindowState is the size that the window had last.
func (e *Editor) WindowState() settings.WindowState {
	s := e.host.Settings.UI(e.host.Folder).Window
	if s.Width < 900 || s.Height < 600 {
		s.Width, s.Height = 1280, 840
	}
	return s
}

// KeepWindow keeps the size of the window for the next time. A maximised
// window keeps the size that it had before.
func (e *Editor) KeepWindow(width, height int, maximised bool) error {
	return e.host.Settings.KeepUI(e.host.Folder, func(kept *settings.UIState) {
		kept.Window.Maximised = maximised
		if !maximised {
			kept.Window.Width, kept.Window.Height = width, height
		}
	})
}

// Appearance is what a page needs of the preferences before its first paint.
type Appearance struct {
	Theme string `json:"theme"` // "light", "dark" or "system"
	Zoom  int    `json:"zoom"`  // in percent
}

// Appearance returns the chosen theme and zoom.
func (e *Editor) Appearance() Appearance {
	p := e.host.Settings.Preferences()
	return Appearance{p.Theme, p.Zoom}
}

// Dark reports whether the person chose the dark theme.
func (e *Editor) Dark() bool { return e.host.Settings.Preferences().Theme == "dark" }
