// Package unsaved keeps the text of notebooks that has no place in their
// folder, because that is full, read-only or gone: in the state folder, until
// it is put back. It is called by package documents, and knows nothing of
// documents.
package unsaved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/notebook"
)

// Store is a folder with a folder for each text. It need not be there.
type Store struct{ Dir string }

// Text is one text that is kept.
type Text struct {
	ID    string `json:"-"`
	Of    string `json:"of"`   // the notebook's file, absolute
	AtMs  int64  `json:"atMs"` // when it was written last: Unix milliseconds
	stamp notebook.Stamp
}

const (
	textName   = "notebook.mtm"
	originName = "origin.json"
)

// File is where the text is.
func (s Store) File(t Text) string { return filepath.Join(s.Dir, t.ID, textName) }

// Put writes the text of the notebook at file; before is its previous result, the zero Text for the
// first.
func (s Store) Put(file string, content io.WriterTo, before Text) (t Text, err error) {
	t = before
	t.Of, t.AtMs = file, time.Now().UnixMilli()
	if t.ID == "" {
		t.ID = uuid.NewString()
		if err := os.MkdirAll(filepath.Join(s.Dir, t.ID), 0o700); err != nil {
			return before, fmt.Errorf("keep what is not saved: %w", err)
		}
		// Before the text, which could not be attributed without it.
		origin, err := json.Marshal(t)
		if err == nil {
			err = os.WriteFile(filepath.Join(s.Dir, t.ID, originName), origin, 0o600)
		}
		if err != nil {
			return before, errors.Join(fmt.Errorf("keep what is not saved: %w", err), s.Drop(t))
		}
	}
	if t.stamp, err = notebook.Save(s.File(t), content, before.stamp); err != nil {
		if before.ID == "" {
			err = errors.Join(err, s.Drop(t))
		}
		return before, fmt.Errorf("keep what is not saved: %w", err)
	}
	return t, nil
}

// Drop takes a text away.
func (s Store) Drop(t Text) error {
	if t.ID == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(s.Dir, t.ID))
}

// In returns the texts of notebooks in a folder, the oldest first.
func (s Store) In(folder string) ([]Text, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for what was not saved: %w", err)
	}
	var all []Text
	for _, e := range entries {
		t := Text{ID: e.Name()}
		raw, err := os.ReadFile(filepath.Join(s.Dir, t.ID, originName))
		if err != nil || json.Unmarshal(raw, &t) != nil || !strings.HasPrefix(t.Of, folder+string(filepath.Separator)) {
			continue
		}
		if info, err := os.Stat(s.File(t)); err == nil {
			t.AtMs = info.ModTime().UnixMilli()
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b Text) int { return int(a.AtMs - b.AtMs) })
	return all, nil
}
