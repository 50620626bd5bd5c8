package mcp

import "time"

// HeardSince reports whether a server said since a time that it has other tools now.
func (s *Servers) HeardSince(name string, since time.Time) bool {
	have, err := s.find(name)
	if err != nil {
		return false
	}
	have.mu.Lock()
	defer have.mu.Unlock()
	return have.stale || have.at.After(since)
}
