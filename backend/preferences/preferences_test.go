package preferences_test

import (
	"context"
	"slices"
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

// The answer of a test that another one took the place of is dropped: it may be of another address.
func TestALateAnswerOfAnEarlierTestIsDropped(t *testing.T) {
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var begun []func(context.Context)
	var heard []string
	e := preferences.New(preferences.Host{
		Settings: store,
		List: func(_ context.Context, at settings.Endpoint) ([]string, error) {
			return []string{"model of " + at.BaseURL}, nil
		},
		Emit: func(sent event.Event) uint64 {
			if tested, ok := sent.(event.ConnectionTested); ok {
				heard = append(heard, tested.Models...)
			}
			return 0
		},
		Changed: func() {},
		Start:   func(f func(context.Context)) { begun = append(begun, f) },
	})
	id := ""
	for _, address := range []string{"http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"} {
		id, err = e.SaveProvider(settings.ProviderInput{ID: id, Name: "Mine", BaseURL: address, Wire: "chat"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = e.TestConnection(id); err != nil {
			t.Fatal(err)
		}
	}
	begun[1](t.Context())
	begun[0](t.Context())
	if want := []string{"model of http://127.0.0.1:2/v1"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v", heard)
	}
	for _, p := range store.View().Providers {
		if p.ID == id && len(p.Models) != 1 {
			t.Errorf("its models are %v", p.Models)
		}
	}
}
