// Package documents owns the open notebooks of a folder: one Live for each
// file, reached under its lock alone, by a Tx. It loads and saves them, follows
// the disk, asks about conflicts, follows renamed files, and keeps what the
// tree of agents shows of every notebook, open or not.
//
// It runs no agent and asks no model. Who does so gives it a Host, and a Work
// for each open notebook. Package workspace calls it.
package documents

import (
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Host is what the notebooks of a folder are opened for. It is called under the
// locks that its methods name, and then takes none of documents' own.
type Host interface {
	// NewWork makes what works with a notebook: agent is for everybody
	// (Live.Agent), work is guarded by the notebook's lock. It takes no lock.
	NewWork(d *Live) (agent any, work Work)
	// TreeChanged is called under the registry's lock after the tree was told of.
	TreeChanged()
	// Opened is called under a notebook's lock after it was read. a is the agent
	// that the file is.
	Opened(a settings.Agent)
	// AgentsChanged is called without a lock after uuids came to files, or left
	// them. lost are those whose file went while nobody had it open.
	AgentsChanged(uuids map[string]bool, lost []string)
	// Renamed is called without a lock after an open notebook has another path.
	Renamed(from, to string)
	// EndedElsewhere is called without a lock after another process that ran an
	// agent of the folder was found to have ended.
	EndedElsewhere()
}

// Work is what an agent does with an open notebook. Every method is called
// under the notebook's lock, and none waits.
type Work interface {
	// Views lists the run under way and those that wait.
	Views() []notebook.RunView
	// Waiting reports whether runs wait for their turn.
	Waiting() bool
	// Counted reports whether what the run under way used is in the notebook.
	Counted() bool
	// MayClose reports whether nothing is lost that only the Work knows when the
	// notebook is let go of unseen.
	MayClose() bool
	// Spent is what the agent used, for the interface.
	Spent(tx *Tx) notebook.Spent
	// FillIn completes views of cells with what the notebook does not say itself,
	// and returns them.
	FillIn(tx *Tx, cells []notebook.CellView) []notebook.CellView
	// Loaded is told that the text was read from the disk.
	Loaded()
	// Editing is told of a person's edits before they are applied. The function
	// it returns is called when they were, with the id of a cell that they made.
	Editing(nb *notebook.Document, edits []notebook.Edit) (applied func(newID string))
	// CellsChanged is told that cells came, went or moved.
	CellsChanged(tx *Tx)
	// Deleted is told that the file is gone and the notebook is let go of: what
	// waits in it ends.
	Deleted(tx *Tx)
	// Renamed is told that the notebook has another path.
	Renamed(tx *Tx)
}
