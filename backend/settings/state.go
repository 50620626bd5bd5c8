package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"mutsumi/backend/atomicfile"
)

// maxRecent is the number of remembered folders.
const maxRecent = 20

// maxModels is how many names of a provider's list are stored.
const maxModels = 2000

// savedUI is a UIState with the folder that it belongs to.
type savedUI struct {
	Folder string  `json:"folder"`
	State  UIState `json:"state"`
}

// UI returns the last state of a folder's window; for a new folder, or if the state cannot be read,
// the initial state.
func (s *Store) UI(folder string) UIState {
	s.looking.Lock()
	defer s.looking.Unlock()
	return s.uiLocked(folder)
}

// uiLocked is UI with looking held.
func (s *Store) uiLocked(folder string) UIState {
	state, kept := s.looks[folder]
	if !kept {
		state = s.readUI(folder)
	}
	for _, list := range []*[]string{&state.Tabs, &state.Collapsed, &state.Pinned, &state.Archived} {
		if *list == nil {
			*list = []string{}
		}
	}
	return state
}

func (s *Store) readUI(folder string) UIState {
	fresh := UIState{SidebarOpen: true, Fresh: true}
	raw, err := os.ReadFile(s.uiFile(folder))
	if err != nil {
		return fresh
	}
	var saved savedUI
	if json.Unmarshal(raw, &saved) != nil || saved.Folder != folder {
		return fresh
	}
	return saved.State
}

// KeepUI changes the state of a folder's window, for UI immediately, and stores it. Concurrent
// changes are made one after the other, and the later stays on the disk.
func (s *Store) KeepUI(folder string, change func(*UIState)) error {
	s.looking.Lock()
	state := s.uiLocked(folder)
	change(&state)
	if s.looks == nil {
		s.looks = map[string]UIState{}
	}
	s.looks[folder] = state
	s.looking.Unlock()
	s.keeping.Lock()
	defer s.keeping.Unlock()
	return s.writeState(s.uiFile(folder), savedUI{folder, s.UI(folder)})
}

func (s *Store) uiFile(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(s.state, "windows", hex.EncodeToString(sum[:12])+".json")
}

// Recent lists the folders opened before, newest first, without missing ones.
func (s *Store) Recent() []string {
	out := s.recent()
	return slices.DeleteFunc(out, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}

func (s *Store) recent() []string {
	out := []string{}
	if raw, err := os.ReadFile(s.recentFile()); err == nil && json.Unmarshal(raw, &out) != nil || out == nil {
		return []string{}
	}
	return out
}

// AddRecent puts an absolute folder at the head of the list.
func (s *Store) AddRecent(folder string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer lockFolder(s.state)()
	list := slices.DeleteFunc(s.recent(), func(dir string) bool { return dir == folder })
	list = slices.Insert(list, 0, folder)
	return s.writeState(s.recentFile(), list[:min(len(list), maxRecent)])
}

func (s *Store) recentFile() string { return filepath.Join(s.state, "recent.json") }

// MergeModels takes the names of the models that a provider listed. They are
// kept for the next start, outside the settings file, which holds only what
// the person wrote; names of models that do not answer in text are left out.
func (s *Store) MergeModels(provider string, ids []string) error {
	names := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" || !chats(id) })
	slices.Sort(names)
	names = slices.Compact(names)
	names = names[:min(len(names), maxModels)]
	s.writing.Lock()
	defer s.writing.Unlock()
	defer lockFolder(s.state)()
	s.mu.Lock()
	s.readFetched()
	if _, err := s.byProvider(provider); err != nil {
		s.mu.Unlock()
		return err
	}
	s.fetched[provider] = names
	s.version++
	all := s.fetchedCopy()
	s.mu.Unlock()
	return s.writeState(s.fetchedFile(), all)
}

// keepFetched drops the fetched names that the person took out of a list.
func (s *Store) keepFetched(provider string, models []ModelView) {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer lockFolder(s.state)()
	s.mu.Lock()
	s.readFetched()
	before := len(s.fetched[provider])
	s.fetched[provider] = slices.DeleteFunc(s.fetched[provider], func(id string) bool {
		return !slices.ContainsFunc(models, func(m ModelView) bool { return m.ID == id })
	})
	if len(s.fetched[provider]) == 0 {
		delete(s.fetched, provider)
	}
	changed := len(s.fetched[provider]) != before
	s.version++
	all := s.fetchedCopy()
	s.mu.Unlock()
	if changed {
		// Only a cache: when it cannot be written, the next fetch mends it.
		_ = s.writeState(s.fetchedFile(), all)
	}
}

// fetchedCopy is for writing without the lock; the caller holds mu.
func (s *Store) fetchedCopy() map[string][]string {
	all := make(map[string][]string, len(s.fetched))
	for k, v := range s.fetched {
		all[k] = slices.Clone(v)
	}
	return all
}

// readFetched reads data stored by this or another window; the caller holds mu.
func (s *Store) readFetched() {
	raw, err := os.ReadFile(s.fetchedFile())
	if err != nil {
		return
	}
	all := map[string][]string{}
	if json.Unmarshal(raw, &all) == nil && all != nil {
		s.fetched = all
		s.version++
	}
}

func (s *Store) fetchedFile() string { return filepath.Join(s.state, "models.json") }

func (s *Store) writeState(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := atomicfile.Write(path, append(raw, '\n')); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// StateFolder is an absolute folder for the program's data besides the states of windows; it need
// not exist.
func (s *Store) StateFolder(name string) string { return filepath.Join(s.state, name) }
