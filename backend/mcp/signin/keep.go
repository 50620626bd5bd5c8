package signin

import (
	"context"
	"encoding/json"

	"mutsumi/backend/lock"
)

// Keep is one entry of the keyring.
type Keep interface {
	Has() bool             // whether there may be one, without asking the keyring
	Read() (string, error) // "": there is none
	Write(text string) error
	Remove() error
	// Lock keeps the program's other processes off the entry until unlock is called.
	Lock(ctx context.Context) (unlock func(), err error)
}

// read reads the record. It ignores a record of another server. A record that the keyring did not
// accept is in memory.
func (s *Session) read() (*Record, error) {
	s.mu.Lock()
	rec, unkept := s.rec, s.unkept
	s.mu.Unlock()
	if unkept != nil {
		return rec.clone(), nil
	}
	if !s.with.Keep.Has() {
		return nil, nil
	}
	text, err := s.with.Keep.Read()
	if err != nil || text == "" {
		return nil, err
	}
	rec = &Record{}
	if json.Unmarshal([]byte(text), rec) != nil || rec.Server != s.with.Server {
		return nil, nil
	}
	return rec, nil
}

// keep stores a record in the keyring. Without a keyring it lasts until the program ends.
func (s *Session) keep(rec *Record) {
	text, err := json.Marshal(rec)
	if err == nil {
		err = s.with.Keep.Write(string(text))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rec, s.loaded, s.unkept = rec, true, err
}

func (r *Record) clone() *Record {
	if r == nil {
		return nil
	}
	c := *r
	return &c
}

// Memory is an entry that lasts until the program ends.
type Memory struct {
	mu   lock.Mutex
	text string
}

// Has implements Keep.
func (m *Memory) Has() bool {
	text, _ := m.Read() // cannot fail
	return text != ""
}

// Read implements Keep.
func (m *Memory) Read() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text, nil
}

// Write implements Keep.
func (m *Memory) Write(text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text = text
	return nil
}

// Remove implements Keep.
func (m *Memory) Remove() error { return m.Write("") }

// Lock implements Keep: there are no other processes.
func (m *Memory) Lock(context.Context) (func(), error) { return func() {}, nil }
