package builtin

import (
	"crypto/sha256"
	"time"

	"mutsumi/backend/lock"
)

// Seen remembers what an agent read or wrote of each file, so that a change by somebody else is
// noticed before it is overwritten. It may be used by many goroutines.
type Seen struct {
	mu    lock.Mutex
	files map[string]sighting
	bytes int
}

// sighting is a file as the agent knows it. Its text is kept for diffs as long as there is room.
type sighting struct {
	sum    [sha256.Size]byte
	text   []byte
	atMs   int64 // when it was read or written last, Unix milliseconds
	readMs int64 // when it was read last; 0: never
}

// keepSeen bounds the texts that are kept, in bytes.
const keepSeen = 8 << 20

// NewSeen makes an empty memory.
func NewSeen() *Seen { return &Seen{files: map[string]sighting{}} }

// note records the whole content of a file that was read, or else written.
// Path is absolute, links resolved.
func (s *Seen) note(path string, content []byte, read bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.files[path]
	s.bytes -= len(was.text)
	now := sighting{sum: sha256.Sum256(content), atMs: time.Now().UnixMilli(), readMs: was.readMs}
	if read {
		now.readMs = now.atMs
	}
	if s.bytes+len(content) <= keepSeen {
		now.text = content
		s.bytes += len(content)
	}
	s.files[path] = now
}

// Read records that the agent knows the whole content of a file, since a time in Unix milliseconds
// or since it last read or wrote it, if that is later. path is absolute, with links resolved.
func (s *Seen) Read(path string, content []byte, atMs int64) {
	before := s.At(path)
	s.note(path, content, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[path]
	f.atMs = max(before, atMs)
	f.readMs = f.atMs
	s.files[path] = f
}

// At returns when the agent last read or wrote a file, in Unix milliseconds; 0 for an unknown one.
// path is absolute, with links resolved.
func (s *Seen) At(path string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[path].atMs
}

// Reads returns the files that the agent has read, by absolute path, and when it
// read each last, in Unix milliseconds.
func (s *Seen) Reads() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	reads := map[string]int64{}
	for path, f := range s.files {
		if f.readMs > 0 {
			reads[path] = f.readMs
		}
	}
	return reads
}

// check compares a file's content with what the agent knows. known is false for a file it never
// saw; before is its text at that time, nil if it was not kept.
func (s *Seen) check(path string, content []byte) (known, same bool, before []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, known := s.files[path]
	return known, known && was.sum == sha256.Sum256(content), was.text
}
