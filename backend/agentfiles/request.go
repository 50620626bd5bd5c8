package agentfiles

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/atomicfile"
	"mutsumi/backend/inspect"
)

// requestsLimit is how many bytes of sent requests are stored, for all notebooks of all folders.
const requestsLimit = 64 << 20

// KeepRequest stores the request being sent, with the next number, and returns the previously
// stored one. It is only a convenience: if it cannot be written, the next preview compares with an
// older one.
func (s *Store) KeepRequest(uuid string, r inspect.Record) (last inspect.Record) {
	last = s.Request(uuid)
	r = r.Kept()
	r.Number, r.SentMs = last.Number+1, time.Now().UnixMilli()
	file, err := s.requestFile(uuid)
	if err != nil || file == "" {
		return last
	}
	b, err := json.Marshal(r)
	if err != nil {
		return last
	}
	_ = atomicfile.Write(file, b)
	return last
}

// Request reads the stored request; number 0 means none.
func (s *Store) Request(uuid string) (r inspect.Record) {
	file, err := s.requestFile(uuid)
	if err != nil || file == "" {
		return r
	}
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &r) != nil {
		return inspect.Record{}
	}
	return r
}

// KeepTools stores the MCP tools in a notebook's requests, in the caller's format. If it cannot be
// written, the next request begins with other tools.
func (s *Store) KeepTools(uuid string, raw []byte) {
	file := s.toolsFile(uuid)
	if file == "" {
		return
	}
	if have := s.Tools(uuid); bytes.Equal(have, raw) {
		now := time.Now()
		os.Chtimes(file, now, now) // mark it as used: old files are pruned
		return
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = atomicfile.Write(file, raw)
	}
}

// Tools reads what KeepTools remembered; nil: nothing.
func (s *Store) Tools(uuid string) []byte {
	file := s.toolsFile(uuid)
	if file == "" {
		return nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return raw
}

func (s *Store) toolsFile(uuid string) string {
	if uuid == "" {
		return ""
	}
	return filepath.Join(s.sentTools(), s.name(uuid)+".json")
}

// sentTools is where it is kept what requests hold of the tools of MCP servers.
func (s *Store) sentTools() string { return s.cache.in("tools") }

// requestFile is where the last request of a notebook is remembered; "" for one
// without an identity.
func (s *Store) requestFile(uuid string) (string, error) {
	if uuid == "" {
		return "", nil
	}
	dir := s.cache.requests()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, s.name(uuid)+".json"), nil
}

// Bounds of the records of requests (package ledger) of all notebooks of all folders.
const (
	ledgersLimit = 128 << 20 // bytes
	ledgersAge   = 365 * 24 * time.Hour
)

// Ledger is where the record of the requests of a notebook is; "" for one without an
// identity.
func (s *Store) Ledger(uuid string) string {
	if uuid == "" {
		return ""
	}
	return filepath.Join(s.ledgers(), s.name(uuid)+".jsonl")
}

// ledgers is next to the kept output of commands: in the state folder, which no agent may touch.
func (s *Store) ledgers() string { return filepath.Join(filepath.Dir(s.terminal), "requests") }

// forgetRequest removes the requests stored for a deleted notebook.
func (s *Store) forgetRequest(uuid string) {
	if file := s.Ledger(uuid); file != "" {
		os.Remove(file) // otherwise it is pruned when old
	}
	if file, err := s.requestFile(uuid); err == nil && file != "" {
		os.Remove(file) // otherwise it is pruned when old
	}
	if file := s.toolsFile(uuid); file != "" {
		os.Remove(file) // otherwise it is pruned when old
	}
}
