package settings

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Approvals gives the rules of tools that the person made for always, as they
// were kept; nil when there are none.
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

// Seal is a secret of this person's program, made when it is first asked for:
// what a notebook claims to have been granted is believed only with its seal.
func (s *Store) Seal() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := filepath.Join(s.state, "seal")
	if b, err := os.ReadFile(file); err == nil && len(b) == 32 {
		return b, nil
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	if err := replaceFile(file, secret); err != nil {
		return nil, fmt.Errorf("keep the seal of approvals: %w", err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, fmt.Errorf("keep the seal of approvals: %w", err)
	}
	return secret, nil
}
