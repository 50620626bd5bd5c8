package mcp

// UpdateEvery is the shortest time between two reports of changed resources.
const UpdateEvery = updateEvery

// Heard returns how often a server has announced changed tools.
func (s *Servers) Heard(name string) int {
	have, err := s.find(name)
	if err != nil {
		return 0
	}
	have.mu.Lock()
	defer have.mu.Unlock()
	return have.told
}
