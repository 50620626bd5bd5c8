package runner

import (
	"context"
	"slices"

	"mutsumi/backend/fork"
)

// keepFork records a fork in the notebook, waits until it is on disk, and publishes
// it.
func (d *doc) keepFork(ctx context.Context, r fork.Record) error {
	err := locked(d, func(tx *Tx) error {
		all := append(slices.DeleteFunc(fork.Records(tx.Notebook()), r.Same), r)
		return tx.children().keepForks(all)
	})
	if err != nil {
		return err
	}
	if err := d.Written(ctx); err != nil {
		return err
	}
	d.do(func(tx *Tx) { tx.children().publishFork(r) })
	return nil
}

// keepForks replaces the forks that the notebook records.
func (tx childrenTx) keepForks(all []fork.Record) error {
	tx.SaveSoon()
	return fork.Keep(tx.Notebook(), all)
}

// adoptForks makes the forks of an answer belong to the run that continues it.
func (tx childrenTx) adoptForks(r *run) error {
	before, err := tx.Notebook().RunInfo(r.cell)
	if err != nil || before == nil {
		return err
	}
	all, changed := fork.Records(tx.Notebook()), false
	for i := range all {
		if all[i].Cell == r.cell && all[i].RunMs == before.StartedAtMs {
			all[i].RunMs, changed = r.startedMs, true
		}
	}
	if !changed {
		return nil
	}
	return tx.keepForks(all)
}
