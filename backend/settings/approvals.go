package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mutsumi/backend/lock"
)

// Approvals are the stored tool rules that the person made for always, in any folder. They may be
// used by many goroutines, and by several processes.
type Approvals struct {
	store *Store

	mu   lock.Mutex  // one reader or change at a time
	read bool        // whether the file was read
	seen fs.FileInfo // of the file when it was read; nil: there was none, or it is to be read again
}

// Approvals returns these rules.
func (s *Store) Approvals() *Approvals { return &Approvals{store: s} }

func (a *Approvals) file() string { return filepath.Join(a.store.state, "approvals.json") }

// Read calls take with the stored rules, nil if there are none, if the file has changed since the
// last call of Read or Change, and returns the error of take. Take is called under the lock of a.
func (a *Approvals) Read(take func(kept []byte) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, err := os.Stat(a.file())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", a.file(), err)
	}
	if a.read && unchanged(a.seen, now) {
		return nil
	}
	kept, err := a.load()
	if err != nil {
		return err
	}
	a.read, a.seen = true, now
	return take(kept)
}

// unchanged reports whether a file is the one that was seen; nil is a file that does not exist.
func unchanged(seen, now fs.FileInfo) bool {
	if seen == nil || now == nil {
		return seen == nil && now == nil
	}
	return os.SameFile(seen, now) && seen.Size() == now.Size() && seen.ModTime().Equal(now.ModTime())
}

// load reads the file; nil: there is none.
func (a *Approvals) load() ([]byte, error) {
	b, err := os.ReadFile(a.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", a.file(), err)
	}
	return b, nil
}

// Change replaces the stored rules by is, the result of become, for every process of this person,
// and then calls stored. Become is called with the rules as they are stored now; nil means none. Its
// error prevents the change and is returned. Both functions are called under the lock of a.
func (a *Approvals) Change(become func(kept []byte) (is []byte, stored func(), err error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.store.writing.Lock()
	defer a.store.writing.Unlock()
	defer lockFolder(a.store.state)()
	kept, err := a.load()
	if err != nil {
		return err
	}
	is, stored, err := become(kept)
	if err != nil {
		return err
	}
	if is == nil {
		is = []byte("{}")
	}
	a.read = false // two changes may fall into one step of the disk's clock
	if err := a.store.writeState(a.file(), json.RawMessage(is)); err != nil {
		return err
	}
	stored()
	return nil
}

// Watch calls changed, from its own goroutine, each time that this or another process may have
// changed the rules, until ctx ends. Before, it calls ready once no change can be missed.
func (a *Approvals) Watch(ctx context.Context, ready, changed func()) {
	followFile(ctx, a.file(), ready, changed)
}
