// Package documents owns the open notebooks of a folder: one Live for each file, whose content is
// reached only under its lock, through a Tx. It loads and saves notebooks, follows changes and
// renames on disk, asks about conflicts, and keeps the tree's entry for every notebook, open or
// not.
//
// It runs no agents: package runner provides a Work for each open notebook, through a
// Host. Package workspace and its parts call it.
package documents

import (
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Host connects the notebooks of a folder with the rest of the program. A method that is
// called under a lock must take none of this package's locks.
type Host interface {
	// NewWork makes the state of the agent of a notebook that is opened: agent, which
	// Live.Agent returns, and work, which the notebook's lock guards. It takes no
	// lock.
	NewWork(d *Live) (agent any, work Work)
	// TreeChanged is called under the registry's lock after the tree was published.
	TreeChanged()
	// Opened is called under a notebook's lock after it was read, with the identity
	// of its agent.
	Opened(a settings.Agent)
	// AgentsChanged is called without a lock after files gained or lost uuids. lost are the uuids
	// of files that were removed while not open.
	AgentsChanged(uuids map[string]bool, lost []string)
	// Renamed is called without a lock after the path of an open notebook changed.
	Renamed(from, to string)
	// MayRenameCopy reports whether a file with the uuid of another agent, original,
	// may be given its own before anybody edits or runs it. It is called without a
	// lock.
	MayRenameCopy(original settings.Agent) bool
	// EndedElsewhere is called without a lock after another process that ran an
	// agent of the folder has ended.
	EndedElsewhere()
}

// Work is an agent's activity in an open notebook. Every method is called under the notebook's lock
// and must not wait.
type Work interface {
	// Views lists the active run and the queued ones.
	Views() []notebook.RunView
	// Waiting reports whether runs are queued.
	Waiting() bool
	// Counted reports whether the notebook already includes the usage of the active
	// run.
	Counted() bool
	// MayClose reports whether the notebook can be unloaded without losing state
	// that only the Work has.
	MayClose() bool
	// Spent returns what the agent used, for the interface.
	Spent(tx *Tx) notebook.Spent
	// FillIn adds data that the notebook itself does not contain to views of cells, and returns
	// them.
	FillIn(tx *Tx, cells []notebook.CellView) []notebook.CellView
	// Loaded is called after the text was read from disk.
	Loaded()
	// Editing is called before a person's edits are applied. applied is called after
	// them, with the id of a cell that they made.
	Editing(nb *notebook.Document, edits []notebook.Edit) (applied func(newID string))
	// CellsChanged is called after cells came, went or moved.
	CellsChanged(tx *Tx)
	// Appended is called after cells of another process were merged.
	Appended(tx *Tx, cells []string)
	// Deleted is called after the file was deleted and the notebook closed: it ends
	// the queued runs.
	Deleted(tx *Tx)
	// Renamed is called after the notebook's path changed.
	Renamed(tx *Tx)
}
