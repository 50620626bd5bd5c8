package request

import (
	"time"

	"mutsumi/backend/lock"
)

// gavePrompts keeps what servers gave for prompts. It is safe for concurrent use.
type gavePrompts struct {
	mu  lock.Mutex
	all map[string]gavePrompt
}

func (g *gavePrompts) get(key string) (gavePrompt, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	got, ok := g.all[key]
	return got, ok && time.Since(got.at) < promptsFor
}

func (g *gavePrompts) put(key string, got gavePrompt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil || len(g.all) >= maxPrompts {
		g.all = map[string]gavePrompt{}
	}
	g.all[key] = got
}
