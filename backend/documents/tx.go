package documents

import (
	"sync/atomic"
	"time"

	"mutsumi/backend/cost"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
)

// Live is an open notebook, for code that keeps it longer than its lock is held. The
// content is reached only through Do.
type Live struct {
	reg     *Registry
	at      atomic.Pointer[Place] // written under the document's lock and the registry's, when the file is renamed
	running atomic.Bool           // a run is active; for callers that may not take the lock
	agent   any                   // what Host.NewWork gave; never changed
	work    Work                  // its other half, reached by Tx.Work alone
	held    lock.Guarded[held]

	guarded lock.Guarded[contents]
}

// contents is the data that a document's lock guards.
type contents struct {
	closed   bool               // it was unloaded: ask the registry for the notebook again
	shown    bool               // a person opened or edited it here: it stays until CloseNotebook
	nb       *notebook.Document // nil: not loaded, or unreadable because of problem
	problem  *notebook.Problem
	stamp    notebook.Stamp
	base     *notebook.Snapshot // the version with that stamp; nil: not known
	before   *notebook.Document // the last version, while the file is not a valid notebook
	fromDisk map[string]uint64  // cells whose text another program changed, with the number that events of it have at least
	conflict bool               // the file on disk differs from the version last read or written
	gone     bool               // the file is gone
	missed   bool               // the folder was searched for it since
	went     time.Time          // when its file was first found gone; zero: it exists, or was not searched for
	saver    saver
	total    cost.Total      // of the answers that are in the notebook
	tally    *notebook.Tally // the same without prices
}

// Tx is an open notebook while its lock is held. All changes of the notebook, by edits or
// by running answers, go through a Tx and emit their events there, so that a state read
// in a Tx includes every event up to the outbox's number. A Tx is valid until the
// function that it was given to returns; used later it panics. A function with a Tx must
// not wait for another document or another Tx of the same one, nor for the disk except
// to load the notebook.
type Tx struct {
	reg *Registry
	doc *Live
	*contents
}

// newLive returns a document with nothing loaded.
func (reg *Registry) newLive(at Place) *Live {
	d := &Live{reg: reg}
	d.at.Store(&at)
	d.agent, d.work = reg.host.NewWork(d)
	return d
}

// Do calls f with the notebook under its lock, whether it is still open or was closed.
func (d *Live) Do(f func(*Tx)) {
	d.guarded.Do(func(c *contents) {
		tx := &Tx{d.reg, d, c}
		defer func() { tx.contents = nil }()
		f(tx)
	})
}

// locked is Do for a function with a result.
func locked[T any](d *Live, f func(*Tx) T) (result T) {
	d.Do(func(tx *Tx) { result = f(tx) })
	return result
}

// Path returns the path of the notebook's file, relative to the folder and with slashes.
// It changes when the file is renamed.
func (d *Live) Path() string { return d.at.Load().Path }

// File is the notebook's file, absolute.
func (d *Live) File() string { return d.at.Load().File }

// Agent returns the host's agent for the notebook.
func (d *Live) Agent() any { return d.agent }

// Running reports whether a run is active. It takes no lock.
func (d *Live) Running() bool { return d.running.Load() }

// UUID returns the uuid in the notebook; "": none, or it cannot be read.
func (d *Live) UUID() string {
	return locked(d, func(tx *Tx) string {
		if tx.nb == nil {
			return ""
		}
		return tx.nb.Meta().UUID
	})
}

// Live is the notebook, for later.
func (tx *Tx) Live() *Live { return tx.doc }

// Path is Live.Path.
func (tx *Tx) Path() string { return tx.doc.Path() }

// File is Live.File.
func (tx *Tx) File() string { return tx.doc.File() }

// Work returns the host's Work for the notebook, which the same lock guards.
func (tx *Tx) Work() Work {
	if tx.contents == nil {
		panic("a Tx is used after its lock was released")
	}
	return tx.doc.work
}

// Notebook returns the document; nil: unreadable because of Problem.
func (tx *Tx) Notebook() *notebook.Document { return tx.nb }

// Problem returns what is wrong with the file; nil: nothing.
func (tx *Tx) Problem() *notebook.Problem { return tx.problem }

// Running reports whether a run is active.
func (tx *Tx) Running() bool { return tx.doc.running.Load() }

// SetRunning notes that a run is active, or none is.
func (tx *Tx) SetRunning(running bool) { tx.doc.running.Store(running) }

// Gone reports whether the file is known to be gone.
func (tx *Tx) Gone() bool { return tx.gone }

// Missed reports whether the folder was looked through for the file since it
// was gone.
func (tx *Tx) Missed() bool { return tx.missed }

// MarkShown keeps the notebook open until CloseNotebook: a person works with it.
func (tx *Tx) MarkShown() { tx.shown = true }

// Open calls f with the notebook at path under its lock, loading it if it is not
// open.
func (reg *Registry) Open(path string, f func(*Tx) error) error {
	file, err := reg.Resolve(path)
	if err != nil {
		return err
	}
	if err := knownName(path, file); err != nil {
		return err
	}
	path, file = reg.mainName(path, file)
	path, file = reg.nameNow(path, file)
	return reg.do(Place{path, file}, f)
}

// With is Open for a notebook that can be worked on.
func (reg *Registry) With(path string, f func(*Tx, *notebook.Document) error) error {
	return reg.Open(path, func(tx *Tx) error {
		nb, err := tx.readable()
		if err != nil {
			return err
		}
		return f(tx, nb)
	})
}

// Live returns the notebook at path, loading it if it is not open.
func (reg *Registry) Live(path string) (d *Live, err error) {
	err = reg.Open(path, func(tx *Tx) error {
		d = tx.doc
		return nil
	})
	return d, err
}

// ReadOnly calls f with a notebook that f must not change. If it is not open, its file is
// read for this one call.
func (reg *Registry) ReadOnly(path string, f func(*Tx, *notebook.Document) error) error {
	file, err := reg.Resolve(path)
	if err != nil {
		return err
	}
	if path, file = reg.nameNow(path, file); reg.Opened(path) != nil {
		return reg.With(path, f)
	}
	nb, _, err := notebook.Load(file)
	if err != nil {
		return err
	}
	return locked(reg.newLive(Place{path, file}), func(tx *Tx) error {
		tx.nb = nb
		return f(tx, nb)
	})
}
