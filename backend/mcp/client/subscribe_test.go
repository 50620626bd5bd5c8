package client_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/subprocess"
	"mutsumi/backend/waittest"
)

// The lists of a server are read once it reports their changes, so that none is missed.
func TestListsAreSubscribedToBeforeTheyAreRead(t *testing.T) {
	var log subprocess.Tail
	c := connect(t, client.Options{Server: mcptest.Server("s", "hesitant"), Log: &log})
	for range 2 {
		if tools, err := c.Tools(t.Context()); err != nil || len(tools) == 0 {
			t.Fatal(tools, err)
		}
	}
	waittest.Until(t, "the server has printed the requests", func() bool { return strings.Count(log.Text(), "\n") == 3 })
	if got, want := log.Text(), "subscriptions/listen\ntools/list\ntools/list\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

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
