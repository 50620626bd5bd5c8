package runner

import (
	"context"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
)

// Mode says how much is run.
type Mode string

const (
	RunCell Mode = "cell" // this cell; an answer it has is put aside as a branch
	RunFrom Mode = "from" // this cell, and what stands below is put aside first
	RunAll  Mode = "all"  // this cell and all below, one after another
)

// Calls are what the person asks of a Runner. Package workspace embeds them.
type Calls struct{ runner *Runner }

// Calls gives what the person asks of it.
func (rn *Runner) Calls() *Calls { return &Calls{rn} }

// Run answers a cell, or several, and returns the id of the first run. Runs of
// one notebook go one after another; those of several notebooks side by side.
func (c *Calls) Run(path, cell string, mode Mode) (id string, err error) {
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

// Continue goes on with an answer that broke off or was stopped.
func (c *Calls) Continue(path, cell string) (id string, err error) {
	err = c.runner.open(path, func(tx *Tx, nb *notebook.Document) error {
		id, err = tx.runs().enqueue([]string{cell}, true)
		return err
	})
	return id, err
}

// Stop ends the run of a notebook and drops those that wait behind it. What
// has arrived is kept. It does not wait for the end; RunFinished tells of it.
func (c *Calls) Stop(path string) error {
	if d := c.runner.registry.RunsUnderOldName(path); d != nil {
		path = d.Path()
	}
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		tx.runs().stop()
		if tx.active == nil {
			return tx.NotElsewhere() // it cannot be stopped from here
		}
		return nil
	})
}

// RetryNow ends the wait before the next attempt.
func (c *Calls) RetryNow(path string) error {
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		if tx.active == nil || tx.active.waitMs == 0 {
			return nil // it went out by itself meanwhile
		}
		select {
		case tx.active.skipWait <- struct{}{}:
		default:
		}
		return nil
	})
}

// Wait blocks until nothing runs in the notebook or ctx ends, for the command line.
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
			return d.Save()
		}
		if ends.Next(ctx) == nil {
			return ctx.Err()
		}
	}
}

// CanRun says why nothing can be run in a notebook now: another process does.
func (c *Calls) CanRun(path string) error {
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error { return tx.NotElsewhere() })
}

// Unqueue takes a prompt that waits for its turn out of the queue. Until its turn
// comes it can be edited like any other: its text is read then.
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

// SendNow has a prompt that waits sent at the next step of the agent at work
// (SPEC 7.4): the run under way ends there, and the one of the prompt is the
// next. When nothing is under way it starts at once.
func (c *Calls) SendNow(path, cell string) error {
	return c.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
		r, err := tx.runs().queued(cell)
		if err != nil {
			return err
		}
		r.sendNow = true
		c.runner.out.Emit(event.RunQueued{RunID: r.id, Path: tx.Path(), Cell: cell, Now: true})
		if tx.active == nil {
			tx.runs().startNow(cell)
			tx.runs().startNext()
		}
		return nil
	})
}

// StopTree stops an agent and all that it started, directly or through others,
// also those that wait for their turn. What has arrived is kept. It waits for
// nothing: children that are being made now find their parent's run stopped.
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

// Resume goes on with the answer that the end of the program interrupted, and
// returns the id of the run. Errors: NotFound when nothing was interrupted,
// Conflict when it runs already.
func (c *Calls) Resume(path string) (id string, err error) {
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

// SetPaused holds all agents before their next request, also one that is sent
// once more after a failure, or lets them go on. What streams comes to its end,
// and a stop works as ever. It does not outlive the program.
func (c *Calls) SetPaused(paused bool) error { return c.runner.pause.set(paused) }
