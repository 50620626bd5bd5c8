package runner

import (
	"context"
)

// reacquireSlot returns when a run of the notebook that released its slot has
// one again, or ctx ends, and reports whether it had to wait. The tree shows
// that it waits.
func (d *doc) reacquireSlot(ctx context.Context, r *run) (waited bool) {
	return d.runner.slots.Reacquire(ctx, r, func(waits bool) {
		d.do(func(tx *Tx) {
			r.waitsForSlot = waits
			tx.runs().publishActivity("")
		})
	})
}

// releaseSlot gives the slot of the agent of a notebook to others while it waits.
func (rn *Runner) releaseSlot(path string) {
	if _, active := rn.atWork(path); active != nil {
		rn.slots.Release(active)
	}
}

// atWork gives a notebook with the run under way in it; nil when there is none.
func (n *notebooks) atWork(path string) (*doc, *run) {
	d := docOf(n.registry.OpenedAs(path))
	if d == nil {
		return nil, nil
	}
	return d, locked(d, func(tx *Tx) *run { return tx.active })
}
