package runner

import (
	"mutsumi/backend/access"
	"mutsumi/backend/coedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Reader is what the agent of an open notebook has read, for package coedit;
// false: nobody has the notebook open.
func (r *Runner) Reader(path string) (reader coedit.Reader, open bool) {
	d := r.opened(path)
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

// ReaderAt is what the agent of the notebook at path has read. The notebook is
// loaded if it is not open.
func (r *Runner) ReaderAt(path string) (reader coedit.Reader, err error) {
	err = r.open(path, func(tx *Tx, nb *notebook.Document) error {
		reader = coedit.Reader{UUID: nb.Meta().UUID, Seen: tx.doc.seen, Notebook: nb.Encoded()}
		return nil
	})
	return reader, err
}

// Taken is what undo took back of the places that the agent of a notebook may
// touch, see access.Notebooks.
func (r *Runner) Taken(path string) (to settings.Agent, taken *access.Taken, err error) {
	d, err := r.doc(path)
	if err != nil {
		return settings.Agent{}, nil, err
	}
	d.do(func(tx *Tx) {
		to = settings.Agent{File: tx.Path(), UUID: tx.Agent().UUID}
		if tx.taken == nil {
			tx.taken = new(access.Taken)
		}
		taken = tx.taken
	})
	return to, taken, nil
}
