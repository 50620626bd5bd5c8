package preferences_test

import (
	"context"
	"testing"

	"mutsumi/backend/event"
	"mutsumi/backend/preferences"
	"mutsumi/backend/settings"
)

// Prompts wait for the models of a provider that is asked for them (settings.Asking), and for
// nothing else that Discover does in the background.
func TestDiscoverHoldsPromptsBackOnlyWhileItAsksAProvider(t *testing.T) {
	for base, asks := range map[string]bool{"": false, "http://127.0.0.1:1/v1": true} {
		t.Setenv("OPENAI_API_KEY", "")
		t.Setenv("OPENAI_BASE_URL", base)
		t.Setenv("OPENAI_MODEL", "")
		store, err := settings.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var begun []func(context.Context)
		asked := 0
		preferences.New(preferences.Host{
			Settings: store,
			List: func(context.Context, settings.Endpoint) ([]string, error) {
				asked++
				return []string{"listed"}, nil
			},
			Emit:    func(event.Event) uint64 { return 0 },
			Changed: func() {},
			Start:   func(f func(context.Context)) { begun = append(begun, f) },
		}).Discover()
		if store.Asking.Busy() != asks {
			t.Errorf("%q: prompts wait: %v", base, !asks)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // no server on this machine is looked for
		for _, f := range begun {
			f(ctx)
		}
		if store.Asking.Busy() || (asked == 1) != asks {
			t.Errorf("%q: asked %d times; prompts wait: %v", base, asked, store.Asking.Busy())
		}
	}
}
