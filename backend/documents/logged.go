package documents

import (
	"sync/atomic"

	"mutsumi/backend/log"
	"mutsumi/backend/notebook"
)

// counts counts events since the folder was opened (SPEC 11.1).
type counts struct{ loads, saves, failures, merges, conflicts atomic.Int64 }

// logLoaded records that a notebook was read, and how large it is. While another process
// runs its agent it is read again each second, which the log has on demand only.
func (tx *Tx) logLoaded(again bool) {
	tx.reg.counts.loads.Add(1)
	write := tx.reg.log.Info
	if again {
		write = tx.reg.log.Debug
	}
	write("notebook loaded", log.Notebook(tx.Path()), log.Count("cells", tx.nb.Len()), log.Count("messages", tx.base.Messages()))
}

// logSaved records a save. There is one each second while an answer streams, so that the
// log has them on demand only; their number is in the entry of Close.
func (tx *Tx) logSaved(s *notebook.Snapshot) {
	tx.reg.counts.saves.Add(1)
	tx.reg.log.Debug("notebook saved", log.Notebook(tx.Path()), log.Count("messages", s.Messages()))
}

// logSaveFailed records why a notebook is not in its file.
func (tx *Tx) logSaveFailed(err error) {
	tx.reg.counts.failures.Add(1)
	tx.reg.log.Error("notebook not saved", err, log.Notebook(tx.Path()))
}

// logTakenIn records that cells changed by another process were merged.
func (tx *Tx) logTakenIn(cells int) {
	tx.reg.counts.merges.Add(1)
	tx.reg.log.Info("changes taken in", log.Notebook(tx.Path()), log.Count("cells", cells))
}

// logConflict records that the file contradicts the memory.
func (tx *Tx) logConflict() {
	tx.reg.counts.conflicts.Add(1)
	tx.reg.log.Warn("notebook in conflict", log.Notebook(tx.Path()), log.Flag("gone", tx.gone))
}

// write records the counts.
func (c *counts) write(l *log.Log) {
	l.Info("folder closed", log.Count("loads", c.loads.Load()), log.Count("saves", c.saves.Load()), log.Count("failures", c.failures.Load()),
		log.Count("merges", c.merges.Load()), log.Count("conflicts", c.conflicts.Load()))
}
