package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mutsumi/backend/fork"
	"mutsumi/backend/tool"
)

// join waits until no child of a fork works any more, and returns their reports. It
// releases the parent's slot, which the parent reacquires before its next step. When
// ctx ends, join returns at once and the children go on.
func (fk *forks) join(ctx context.Context, d *doc, f fork.Record, env tool.Env) tool.Result {
	fk.slots.Release(locked(d, func(tx *Tx) *run { return tx.active }))
	parent := d.UUID()
	var all []fork.Outcome
	for ctx.Err() == nil {
		changed := fk.nextChange()
		open := 0
		all = all[:0]
		for _, c := range f.Children {
			s := fk.outcomeOf(c, parent)
			if all = append(all, s); s.State == fork.Working {
				open++
			}
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

func waitingFor(open, all int) string {
	switch {
	case all == 1:
		return "waiting for its child"
	case open == all:
		return fmt.Sprintf("waiting for %d children", all)
	}
	return fmt.Sprintf("waiting for %d of %d children", open, all)
}

// outcomeOf returns the state of a child; parent is its parent's uuid. A child whose
// file is gone counts as deleted, and is stopped if it still runs, because nobody
// could see what it does.
func (fk *forks) outcomeOf(c fork.Child, parent string) (s fork.Outcome) {
	s = fork.Outcome{Child: c, State: fork.Deleted}
	d := fk.childDoc(c, parent)
	if d == nil {
		return s
	}
	return locked(d, func(tx *Tx) fork.Outcome {
		if tx.Notebook() == nil {
			if tx.Problem() != nil {
				s.State, s.Why = fork.Failed, "its notebook cannot be read: "+tx.Problem().Message
			}
			return s
		}
		if name := tx.Notebook().Meta().Name; name != "" {
			s.Name = name
		}
		working := tx.active != nil || len(tx.queue) > 0
		if _, err := os.Stat(d.File()); errors.Is(err, fs.ErrNotExist) {
			switch {
			case working && !tx.Missed(): // it may have been renamed just now
				s.State = fork.Working
				return s
			case working:
				tx.runs().stop()
			}
			s.SetLastWords(tx.Notebook())
			return s
		}
		if working {
			s.State = fork.Working
			return s
		}
		s.SetEnded(tx.Notebook())
		return s
	})
}

// childDoc opens a child's notebook. It returns nil if the notebook is gone or is not
// a child of that parent, so that an edited file cannot reach other agents.
func (fk *forks) childDoc(c fork.Child, parent string) *doc {
	d, err := fk.doc(fk.registry.Find(c.File, c.UUID))
	if err != nil {
		return nil
	}
	return locked(d, func(tx *Tx) *doc {
		if tx.Notebook() == nil {
			return d
		}
		if meta := tx.Notebook().Meta(); meta.UUID != c.UUID || meta.ParentID != parent || parent == "" {
			return nil
		}
		return d
	})
}
