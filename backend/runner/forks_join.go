package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mutsumi/backend/documents"
	"mutsumi/backend/fork"
	"mutsumi/backend/tool"
)

// join waits until all children of a fork are done, and returns their reports. It releases the
// parent's slot, which the parent reacquires before its next step. If ctx ends, join returns at
// once and the children go on.
func (fk *forks) join(ctx context.Context, d *doc, f fork.Record, env tool.Env) tool.Result {
	fk.slots.Release(locked(d, func(tx *Tx) *run { return tx.active }))
	parent := d.UUID()
	all := make([]fork.Outcome, len(f.Children))
	for ctx.Err() == nil {
		changed := fk.nextChange()
		open := fk.look(f, parent, all, false)
		if open == 0 {
			open = fk.look(f, parent, all, true) // a file may have been removed in the meantime
		}
		if open == 0 {
			d.setAction("reading the reports")
			return fork.Report(all, env)
		}
		d.setAction(waitingFor(open, len(all)))
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return tool.Error("stopped while the children were at work: they go on by themselves")
}

// look fills in the outcomes of a fork's children, and returns how many still work. Unless every is
// true, it does not reload a child that had ended and whose notebook is not open: nothing runs in
// it.
func (fk *forks) look(f fork.Record, parent string, all []fork.Outcome, every bool) (open int) {
	for i, c := range f.Children {
		if every || all[i].UUID == "" || all[i].State == fork.Working || fk.opened(fk.registry.Find(c.File, c.UUID)) != nil {
			all[i] = fk.outcomeOf(c, parent)
		}
		if all[i].State == fork.Working {
			open++
		}
	}
	return open
}

func waitingFor(open, all int) string {
	switch {
	case all == 1:
		return "waiting for its child"
	case open == all:
		return fmt.Sprintf("waiting for %d children", all)
	}
	return fmt.Sprintf("waiting for %d of %d children", open, all)
}

// outcomeOf returns the state of a child; parent is its parent's uuid. A child whose file was
// removed counts as deleted, and is stopped if it still runs, because nobody could see what it
// does.
func (fk *forks) outcomeOf(c fork.Child, parent string) (s fork.Outcome) {
	s = fork.Outcome{Child: c, State: fork.Deleted}
	fk.withChild(c, parent, func(d *doc, tx *Tx) {
		if tx.Notebook() == nil {
			if tx.Problem() != nil {
				s.State, s.Why = fork.Failed, "its notebook cannot be read: "+tx.Problem().Message
			}
			return
		}
		if name := tx.Notebook().Meta().Name; name != "" {
			s.Name = name
		}
		working := tx.active != nil || len(tx.queue) > 0
		if _, err := os.Stat(d.File()); errors.Is(err, fs.ErrNotExist) {
			switch {
			case working && !tx.Missed(): // it may have been renamed just now
				s.State = fork.Working
				return
			case working:
				tx.runs().stop()
			}
			s.SetLastWords(tx.Notebook())
			return
		}
		if working {
			s.State = fork.Working
			return
		}
		s.SetEnded(tx.Notebook())
	})
	return s
}

// withChild calls f with a child's notebook under its lock, and unloads the notebook if nobody
// views it and its agent is done. It does not call f if the notebook is gone or is not a child of
// that parent, so that an edited file cannot reach other agents.
func (fk *forks) withChild(c fork.Child, parent string, f func(*doc, *Tx)) {
	// An error says that the notebook cannot be loaded: it counts as gone.
	_ = fk.registry.Open(fk.registry.Find(c.File, c.UUID), func(tx *documents.Tx) error {
		defer tx.CloseUnseen()
		return inTx(tx, func(tx *Tx) error {
			if nb := tx.Notebook(); nb != nil {
				if meta := nb.Meta(); meta.UUID != c.UUID || meta.ParentID != parent || parent == "" {
					return nil
				}
			}
			f(tx.work.doc, tx)
			return nil
		})
	})
}
