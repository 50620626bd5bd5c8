package client_test

import (
	"sync/atomic"
	"testing"

	"mutsumi/backend/mcp/client"
	"mutsumi/backend/waittest"
)

// When Subscribe returns, the server reports every further change, also to a caller that did not ask
// because another one just did.
func TestSubscribeWaitsForTheAnswer(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		var updated atomic.Int32
		o.Updated = func(uri string) {
			if uri == "test:///count" {
				updated.Add(1)
			}
		}
		c := connect(t, o)
		const callers = 3
		asked := make(chan bool, callers)
		for range callers {
			go func() { asked <- c.Subscribe(t.Context(), "test:///count") }()
		}
		asks := 0
		for range callers {
			if <-asked {
				asks++
			}
			before := updated.Load()
			text(t, c, "touch")
			waittest.Until(t, "the change is reported", func() bool { return updated.Load() > before })
		}
		if asks != 1 {
			t.Errorf("%d of %d callers asked", asks, callers)
		}
	})
}
