package agentfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mutsumi/backend/fault"
)

// Calls lets the interface ask for stored requests and delete them. Package workspace embeds it.
type Calls struct{ store *Store }

// Calls returns the calls of the interface.
func (s *Store) Calls() *Calls { return &Calls{s} }

// Remembered summarises the stored requests of all folders: the text of each notebook's last one,
// and times, sizes and prices of the others.
type Remembered struct {
	Notebooks int   `json:"notebooks"` // with stored requests
	Bytes     int64 `json:"bytes"`
}

// Remembered returns how much is stored of sent requests.
func (c *Calls) Remembered() Remembered {
	var r Remembered
	notebooks := map[string]bool{}
	c.store.eachSent(func(path string, info fs.FileInfo) error {
		name := filepath.Base(path)
		notebooks[name[:len(name)-len(filepath.Ext(name))]] = true
		r.Bytes += info.Size()
		return nil
	})
	r.Notebooks = len(notebooks)
	return r
}

// ForgetSent removes the stored requests. Notebooks lose nothing; the next preview has nothing to
// compare with.
func (c *Calls) ForgetSent() error {
	err := c.store.eachSent(func(path string, _ fs.FileInfo) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return fault.New(fault.Internal, "Could not forget all of what was sent: %w", err)
	}
	return nil
}

// eachSent calls f with each file that stores sent requests, and joins its errors.
func (s *Store) eachSent(f func(path string, info fs.FileInfo) error) error {
	var errs []error
	for dir, ext := range map[string]string{s.cache.requests(): ".json", s.sentTools(): ".json", s.ledgers(): ".jsonl"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
			continue
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || filepath.Ext(e.Name()) != ext {
				continue
			}
			errs = append(errs, f(filepath.Join(dir, e.Name()), info))
		}
	}
	return errors.Join(errs...)
}
