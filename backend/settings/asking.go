package settings

import (
	"context"
	"time"
)

// AskingModels notes that a provider is being asked for its models, until done is called.
func (s *Store) AskingModels() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking++; s.asking == 1 {
		s.asked = make(chan struct{})
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asking--; s.asking == 0 {
			close(s.asked)
		}
	}
}

// AwaitModels waits while providers are being asked for their models, if only the built-in one could
// answer until they have said: at the first start with a new provider, its models are not known yet.
// It waits no longer than most and ctx.
func (s *Store) AwaitModels(ctx context.Context, most time.Duration) {
	s.mu.Lock()
	asking, asked := s.asking > 0, s.asked
	e, err := s.resolve(s.providers(), s.preferences(), "", "")
	s.mu.Unlock()
	if !asking || err == nil && e.ProviderID != BuiltInID {
		return
	}
	select {
	case <-asked:
	case <-time.After(most):
	case <-ctx.Done():
	}
}
