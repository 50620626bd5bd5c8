package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tool"
)

// join waits until every child of a fork is settled and gives their reports.
// The parent's slot is free for them; it takes one again before it goes on.
// When ctx ends join returns at once, and the children go on.
func (fk *forks) join(ctx context.Context, d *doc, f fork, env tool.Env) tool.Result {
	fk.slots.Release(locked(d, func(tx *Tx) *run { return tx.active }))
	parent := d.UUID()
	var all []settled
	for ctx.Err() == nil {
		changed := fk.next()
		open := 0
		all = all[:0]
		for _, c := range f.Children {
			s := fk.outcomeOf(c, parent)
			if all = append(all, s); s.state == working {
				open++
			}
		}
		if open == 0 {
			d.act("reading the reports")
			return report(all, env)
		}
		d.act(waitingFor(open, len(all)))
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

// act says in a few words what the agent does.
func (d *doc) act(text string) {
	d.do(func(tx *Tx) {
		if tx.active != nil {
			tx.runs().tellLive(text)
		}
	})
}

// state is how it stands with a child.
type state string

// The states. All but working are settled: nothing more comes by itself.
const (
	working     state = "working" // or waits for its turn
	finished    state = "finished"
	silent      state = "ended without task_finish"
	failed      state = "failed"
	stopped     state = "stopped by the person"
	dropped     state = "stopped by the person before it began"
	overBudget  state = "stopped: its budget is spent"
	limited     state = "stopped at its limit of steps"
	interrupted state = "interrupted by the end of the program"
	deleted     state = "deleted"
)

// settled is a child as its parent hears of it.
type settled struct {
	child
	state state
	why   string // of a failure
	text  string // its report, or the last that it said
	took  time.Duration
}

// outcomeOf says how it stands with a child of the agent with that uuid. One whose file is gone is
// deleted; if it still runs it is stopped, for nobody could see what it does.
func (fk *forks) outcomeOf(c child, parent string) (s settled) {
	s = settled{child: c, state: deleted}
	d := fk.childDoc(c, parent)
	if d == nil {
		return s
	}
	return locked(d, func(tx *Tx) settled {
		if tx.Notebook() == nil {
			if tx.Problem() != nil {
				s.state, s.why = failed, "its notebook cannot be read: "+tx.Problem().Message
			}
			return s
		}
		if name := tx.Notebook().Meta().Name; name != "" {
			s.Name = name
		}
		due := tx.active != nil || len(tx.queue) > 0
		if _, err := os.Stat(d.File()); errors.Is(err, fs.ErrNotExist) {
			switch {
			case due && !tx.Missed(): // it may have been renamed just now
				s.state = working
				return s
			case due:
				tx.runs().stop()
			}
			s.text, s.took = tx.children().lastWords(), tx.children().workTime()
			return s
		}
		if due {
			s.state = working
			return s
		}
		s.text, s.took = tx.children().lastWords(), tx.children().workTime()
		cell, info := tx.children().lastRun()
		s.state = silent
		switch meta := tx.Notebook().Meta(); {
		case cell == "":
			s.state = dropped
		case info == nil || info.Outcome == notebook.Done:
			if meta.Finished {
				s.state = finished
			}
		case info.Outcome == notebook.TaskDone:
			s.state, s.text = finished, meta.FinishText
		case info.Outcome == notebook.Stopped && info.Fault != nil:
			s.state = overBudget
		case info.Outcome == notebook.Stopped && info.Model == "":
			s.state = dropped
		case info.Outcome == notebook.Stopped:
			s.state = stopped
		case info.Outcome == notebook.StepLimit:
			s.state = limited
		case info.Outcome == notebook.Elsewhere:
			s.state = working
		case info.Outcome == notebook.Interrupted:
			s.state = interrupted
		default:
			s.state = failed
		}
		if info != nil && info.Fault != nil {
			s.why = info.Fault.Message
		}
		return s
	})
}

// childDoc opens a child's notebook; nil: it is not there any more, or is no child
// of that parent: what a file says of its forks reaches nobody else.
func (fk *forks) childDoc(c child, parent string) *doc {
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

// lastRun gives the cell that ran last with how it ran, "" when none has.
func (tx childrenTx) lastRun() (cell string, info *notebook.RunInfo) {
	for _, id := range slices.Backward(tx.Notebook().CellIDs()) {
		head, err := tx.Notebook().Head(id)
		if err != nil {
			continue
		}
		if info, err = tx.Notebook().RunInfo(id); err == nil && (info != nil || head.Messages > 0) {
			return id, info
		}
	}
	return "", nil
}

// lastWords is the last text of the answer that came last.
func (tx childrenTx) lastWords() string {
	cell, _ := tx.lastRun()
	if cell == "" {
		return ""
	}
	answer, err := tx.Notebook().Answer(cell)
	if err != nil {
		return ""
	}
	for _, m := range slices.Backward(answer) {
		if text := strings.TrimSpace(m.Content.String()); m.Role == chat.Assistant && text != "" {
			return text
		}
	}
	return ""
}

// workTime is how long all runs of the notebook took.
func (tx childrenTx) workTime() (all time.Duration) {
	for _, id := range tx.Notebook().CellIDs() {
		if info, err := tx.Notebook().RunInfo(id); err == nil && info != nil {
			all += time.Duration(info.WorkedMs()) * time.Millisecond
		}
	}
	return all
}
