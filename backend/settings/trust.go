package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// maxTrusted is how many folders are remembered as trusted, the newest first.
const maxTrusted = 10_000

// Trusted reports whether the person trusts a folder (SPEC 4.2), by its
// absolute path with links resolved. asked is false as long as nobody said.
func (s *Store) Trusted(folder string) (trusted, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.trusted() {
		if t.Folder == realPath(folder) {
			return t.Trusted, true
		}
	}
	return false, false
}

// Trust keeps what the person said of a folder.
func (s *Store) Trust(folder string, trusted bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	real := realPath(folder)
	list := slices.DeleteFunc(s.trusted(), func(t trustedFolder) bool { return t.Folder == real })
	list = slices.Insert(list, 0, trustedFolder{real, trusted})
	return s.writeState(s.trustFile(), list[:min(len(list), maxTrusted)])
}

type trustedFolder struct {
	Folder  string `json:"folder"`
	Trusted bool   `json:"trusted"`
}

func (s *Store) trustFile() string { return filepath.Join(s.state, "trust.json") }

// trusted reads the list; one that is damaged trusts nothing.
func (s *Store) trusted() []trustedFolder {
	b, err := os.ReadFile(s.trustFile())
	if err != nil {
		return nil
	}
	var list []trustedFolder
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	return list
}

func realPath(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}
