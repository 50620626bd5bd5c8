package runner

import (
	"context"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
)

// Mode selects which cells Run runs.
type Mode string

const (
	RunCell Mode = "cell" // this cell; an old answer becomes a branch
	RunFrom Mode = "from" // this cell, after the cells below became a branch
	RunAll  Mode = "all"  // this cell and all below, one after another
)

// Calls lets the interface run, stop and pause agents and show their timeline. Package workspace
// embeds it.
type Calls struct{ runner *Runner }

// Calls returns the calls of the interface.
func (rn *Runner) Calls() *Calls { return &Calls{rn} }

// Run queues a cell, or several, and returns the id of the first run. Runs of one
// notebook follow one another; those of different notebooks run at the same time.
func (c *Calls) Run(path, cell string, mode Mode) (id string, err error) {
	if err := c.runner.notHeld(path); err != nil {
		return "", err
	}
	err = c.runner.open(path, func(tx *Tx, nb *notebook.Document) error {
		cells := []string{cell}
		switch mode {
		case RunCell:
		case RunFrom:
			if err := tx.runs().rewind(cell); err != nil {
				return err
			}
		case RunAll:
			cells = promptsFrom(nb, cell)
		default:
			return fault.New(fault.Invalid, "%q is no way to run a cell: there are %s, %s and %s", mode, RunCell, RunFrom, RunAll)
		}
		id, err = tx.runs().enqueue(cells, false)
		return err
	})
	return id, err
}

// Continue continues an answer that broke off or was stopped, and returns the id of
// the run.
func (c *Calls) Continue(path, cell string) (id string, err error) {
	if err := c.runner.notHeld(path); err != nil {
		return "", err
	}
	err = c.runner.open(path, func(tx *Tx, nb *notebook.Document) error {
		id, err = tx.runs().enqueue([]string{cell}, true)
		return err
	})
	return id, err
}

// Stop cancels the active run of a notebook and its queue, and keeps what has arrived. It does not
// wait for the end, which event.RunFinished reports.
func (c *Calls) Stop(path string) error {
	if d := c.runner.registry.RunsUnderOldName(path); d != nil {
		path = d.Path()
	}
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		tx.runs().stop()
		if tx.active == nil {
			return tx.NotElsewhere() // another process runs it: it cannot be stopped from here
		}
		return nil
	})
}

// RetryNow ends the wait before the next attempt of a failed request.
func (c *Calls) RetryNow(path string) error {
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		if tx.active == nil || tx.active.waitMs == 0 {
			return nil // the attempt has already begun
		}
		select {
		case tx.active.skipWait <- struct{}{}:
		default:
		}
		return nil
	})
}

// Wait blocks until nothing runs or is queued in the notebook and everything is saved. If ctx ends
// first, it returns the error of ctx.
func (c *Calls) Wait(ctx context.Context, path string) error {
	d, err := c.runner.doc(path)
	if err != nil {
		return err
	}
	ends := c.runner.out.Subscribe(func(e event.Event) bool {
		end, ok := e.(event.RunFinished)
		return ok && end.Path == d.Path()
	})
	defer ends.Close()
	for {
		if locked(d, func(tx *Tx) bool { return tx.active == nil && len(tx.queue) == 0 }) {
			return d.Written(ctx)
		}
		if ends.Next(ctx) == nil {
			return ctx.Err()
		}
	}
}

// CanRun returns an error while another process runs the notebook's agent.
func (c *Calls) CanRun(path string) error {
	if err := c.runner.notHeld(path); err != nil {
		return err
	}
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error { return tx.NotElsewhere() })
}

// Unqueue takes a prompt out of the queue. A queued prompt can be edited until its
// run starts.
func (c *Calls) Unqueue(path, cell string) error {
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		r, err := tx.runs().queued(cell)
		if err != nil {
			return err
		}
		tx.runs().unqueue(func(q *run) bool { return q == r })
		return nil
	})
}

// SendNow sends a queued prompt at the next step of the active run (SPEC 7.4): that
// run ends there, and the prompt's is next. If no run is active, it starts at once.
func (c *Calls) SendNow(path, cell string) error {
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		r, err := tx.runs().queued(cell)
		if err != nil {
			return err
		}
		r.sendNow = true
		c.runner.out.Emit(event.RunQueued{RunID: r.id, Path: tx.Path(), Cell: cell, Now: true})
		if tx.active == nil {
			tx.awaits, tx.awaited = false, true
			tx.runs().startNow(cell)
			tx.runs().startNext()
		}
		return nil
	})
}

// StopTree stops an agent and all its descendants, including queued ones, and keeps what has
// arrived. It does not wait: children that are being made find their parent's run stopped.
func (c *Calls) StopTree(path string) error {
	if err := c.Stop(path); err != nil {
		return err
	}
	for _, file := range agenttree.Descendants(c.runner.registry.Agents(), path) {
		d := c.runner.opened(file)
		if d == nil {
			continue // nothing runs in it
		}
		d.do(func(tx *Tx) {
			tx.runs().stop()
		})
	}
	return nil
}

// Resume continues the answer that the end of the program interrupted, and returns the id of the
// run. The error is NotFound if nothing was interrupted, Conflict if it already runs.
func (c *Calls) Resume(path string) (id string, err error) {
	if err := c.runner.notHeld(path); err != nil {
		return "", err
	}
	err = c.runner.open(path, func(tx *Tx, nb *notebook.Document) error {
		cell, info := fork.LastRun(tx.Notebook())
		if cell != "" && tx.runs().isPending(cell) {
			return fault.New(fault.Conflict, "this cell is running already")
		}
		if err := tx.NotElsewhere(); err != nil {
			return err
		}
		if info == nil || info.Outcome != notebook.Interrupted {
			return fault.New(fault.NotFound, "nothing was interrupted in %s", path)
		}
		id, err = tx.runs().enqueue([]string{cell}, true)
		return err
	})
	return id, err
}

// SetPaused pauses all agents before their next request, including retries, or lets them go on.
// Streaming answers finish, and Stop still works. A pause ends with the program.
func (c *Calls) SetPaused(paused bool) error { return c.runner.pause.set(paused) }
