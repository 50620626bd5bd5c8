package runner

import (
	"context"
)

// reacquireSlot waits until a run that released its slot has one again, or ctx ends, and reports
// whether it had to wait. The tree shows the wait.
func (d *doc) reacquireSlot(ctx context.Context, r *run) (waited bool) {
	return d.runner.slots.Reacquire(ctx, r, func(waits bool) {
		d.do(func(tx *Tx) {
			r.waitsForSlot = waits
			tx.runs().publishActivity("")
		})
	})
}

// releaseSlot releases the slot of a notebook's active run while the run waits.
func (rn *Runner) releaseSlot(path string) {
	if _, active := rn.atWork(path); active != nil {
		rn.slots.Release(active)
	}
}

// atWork returns a notebook and its active run; each is nil if it does not exist.
func (n *notebooks) atWork(path string) (*doc, *run) {
	d := docOf(n.registry.OpenedAs(path))
	if d == nil {
		return nil, nil
	}
	return d, locked(d, func(tx *Tx) *run { return tx.active })
}
