package builtin

import (
	"crypto/sha256"
	"sync"
)

// Seen remembers what an agent read or wrote of each file, so that a change
// made by somebody else is noticed before it is overwritten. It may be used by
// many goroutines.
type Seen struct {
	mu    sync.Mutex
	files map[string]sighting
	bytes int
}

// sighting is a file as the agent knows it. Text is kept for the difference,
// as far as there is room.
type sighting struct {
	sum  [sha256.Size]byte
	text []byte
}

// keepSeen bounds the texts that are kept, in bytes.
const keepSeen = 8 << 20

// NewSeen makes an empty memory.
func NewSeen() *Seen { return &Seen{files: map[string]sighting{}} }

// note records the whole content of a file. Path is absolute, links resolved.
func (s *Seen) note(path string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= len(s.files[path].text)
	now := sighting{sum: sha256.Sum256(content)}
	if s.bytes+len(content) <= keepSeen {
		now.text = content
		s.bytes += len(content)
	}
	s.files[path] = now
}

// check compares a file's content with what the agent knows. known is false
// for a file it never saw; before is its text then, nil if it was not kept.
func (s *Seen) check(path string, content []byte) (known, same bool, before []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, known := s.files[path]
	return known, known && was.sum == sha256.Sum256(content), was.text
}
