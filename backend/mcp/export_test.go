package mcp

import "time"

// HeardSince reports whether a server has announced changed tools since a time.
func (s *Servers) HeardSince(name string, since time.Time) bool {
	have, err := s.find(name)
	if err != nil {
		return false
	}
	have.mu.Lock()
	defer have.mu.Unlock()
	return have.isStale() || have.at.After(since)
}
