package runner

import (
	"mutsumi/backend/access"
	"mutsumi/backend/coedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Reader returns what the agent of an open notebook has read, for package coedit;
// false: the notebook is not open.
func (rn *Runner) Reader(path string) (reader coedit.Reader, open bool) {
	d := rn.opened(path)
	if d == nil {
		return reader, false
	}
	reader.Seen = d.seen
	d.do(func(tx *Tx) {
		if tx.Notebook() != nil {
			reader.UUID, reader.Notebook = tx.Notebook().Meta().UUID, tx.Notebook().Encoded()
		}
		if tx.active != nil {
			reader.BeganMs = tx.active.startedMs
		}
	})
	return reader, true
}

// ReaderAt is Reader for a notebook that is loaded first if it is not open.
func (rn *Runner) ReaderAt(path string) (reader coedit.Reader, err error) {
	err = rn.open(path, func(tx *Tx, nb *notebook.Document) error {
		reader = coedit.Reader{UUID: nb.Meta().UUID, Seen: tx.doc.seen, Notebook: nb.Encoded()}
		return nil
	})
	return reader, err
}

// Revoked implements access.Notebooks: it returns the agent of the notebook at path
// and the places that undo revoked.
func (rn *Runner) Revoked(path string) (to settings.Agent, taken *access.Revoked, err error) {
	d, err := rn.doc(path)
	if err != nil {
		return settings.Agent{}, nil, err
	}
	d.do(func(tx *Tx) {
		to = settings.Agent{File: tx.Path(), UUID: tx.Agent().UUID}
		if tx.revoked == nil {
			tx.revoked = new(access.Revoked)
		}
		taken = tx.revoked
	})
	return to, taken, nil
}
