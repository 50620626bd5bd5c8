package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Approvals returns the stored tool rules that the person made for always; nil if there are none.
func (s *Store) Approvals() ([]byte, error) {
	b, err := os.ReadFile(s.approvalsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.approvalsFile(), err)
	}
	return b, nil
}

// KeepApprovals replaces these rules; nil removes them.
func (s *Store) KeepApprovals(rules []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rules == nil {
		rules = []byte("{}")
	}
	return s.writeState(s.approvalsFile(), json.RawMessage(rules))
}

func (s *Store) approvalsFile() string { return filepath.Join(s.state, "approvals.json") }
