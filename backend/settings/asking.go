package settings

import (
	"context"
	"time"

	"mutsumi/backend/lock"
)

// Asking knows whether providers are being asked for their models: at the first start with a new
// provider, they are not known yet. Its zero value is ready for use.
type Asking struct {
	Longest time.Duration // how long prompts wait for the answer; 0: a few seconds. Not to be changed in use.

	mu   lock.Mutex
	n    int
	none chan struct{} // closes when none is asked; nil: none was
}

// Begin notes that a provider is being asked, until done is called.
func (a *Asking) Begin() (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n++; a.n == 1 {
		a.none = make(chan struct{})
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.n--; a.n == 0 {
			close(a.none)
		}
	}
}

// Busy reports whether a provider is being asked.
func (a *Asking) Busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n > 0
}

// Wait returns once no provider is being asked, after most at the latest, or when ctx ends.
func (a *Asking) Wait(ctx context.Context, most time.Duration) {
	a.mu.Lock()
	asked, none := a.n > 0, a.none
	a.mu.Unlock()
	if !asked {
		return
	}
	select {
	case <-none:
	case <-time.After(most):
	case <-ctx.Done():
	}
}
