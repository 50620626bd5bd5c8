package summaries

import (
	"context"
	"errors"

	"mutsumi/backend/lock"
)

// errStopped is the cause with which the person stops a summary.
var errStopped = errors.New("the person stopped it")

// makings are the summaries that are being made by the person's wish, by the
// notebook's path.
type makings struct {
	mu  lock.Mutex
	all map[string]context.CancelCauseFunc
}

// add reports whether none was being made for the notebook.
func (m *makings) add(path string, cancel context.CancelCauseFunc) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[path] != nil {
		return false
	}
	if m.all == nil {
		m.all = map[string]context.CancelCauseFunc{}
	}
	m.all[path] = cancel
	return true
}

func (m *makings) remove(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, path)
}

func (m *makings) has(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[path] != nil
}

func (m *makings) stop(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cancel := m.all[path]; cancel != nil {
		cancel(errStopped)
	}
}
