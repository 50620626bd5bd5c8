package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/log"
	"mutsumi/backend/process"
	"mutsumi/backend/runlock"
)

// Another process may run an agent of this folder: a second window, `mutsumi serve` or
// `mutsumi run`. The notebook names the process, so that two do not run it at once.

// processPoll is how often to check whether such a process still lives.
const processPoll = 2 * time.Second

// held is the lock that this process holds while runs of the notebook are active: one
// ends while the next begins.
type held struct {
	lock *runlock.Lock // nil: none is held, or the disk takes none
	runs int
}

func runningIn(by process.ID) string { return fmt.Sprintf("running in another program (%s)", by) }

// NotElsewhere returns an error while another process runs the notebook's agent: nothing
// can be run or stopped in it from here.
func (tx *Tx) NotElsewhere() error {
	if by := tx.nb.RunsElsewhere(); by != nil {
		return tx.doc.busyElsewhere(runlock.Holder{Process: *by.Process(), SinceMs: by.StartedAtMs})
	}
	h := tx.reg.Summary(tx.Path())
	if h.Elsewhere != "" && h.process.IsSelf() {
		return fault.New(fault.Conflict, "%s is %s: wait until that is done, or stop it", tx.Path(), h.Elsewhere)
	}
	return nil
}

// runsAs returns the running notebook with a uuid and another path: its file was renamed
// or copied to path during the run. It must not be called in a Tx.
func (reg *Registry) runsAs(path, uuid string) *Live {
	for _, d := range reg.OpenDocs() {
		if uuid != "" && d.Path() != path && d.running.Load() && d.UUID() == uuid {
			return d
		}
	}
	return nil
}

// RunsUnderOldName is runsAs with the uuid that the tree shows for path.
func (reg *Registry) RunsUnderOldName(path string) *Live {
	h := reg.Summary(path)
	if h.Elsewhere == "" || !h.process.IsSelf() {
		return nil
	}
	return reg.runsAs(path, h.UUID)
}

// NotHeld is NotElsewhere based on the notebook's lock, which is known before the notebook is. It
// reads the disk, and must not be called in a Tx.
func (d *Live) NotHeld() error {
	if by := d.reg.locks.Holder(d.File(), d.UUID()); by != nil {
		return d.busyElsewhere(*by)
	}
	return nil
}

// Claim takes the notebook's lock, and records in its file that this process runs it. If
// another process was faster, the error names it. Disclaim ends what Claim began, also
// after an error.
func (d *Live) Claim(ctx context.Context) error {
	if err := d.hold(); err != nil {
		return err
	}
	_ = d.Written(ctx) // a disk that takes nothing is no reason not to answer
	if !locked(d, func(tx *Tx) bool { return tx.conflict }) {
		return nil
	}
	head, err := d.onDisk()
	if err != nil || head.process == (process.ID{}) {
		return nil // another program changed it: the person is asked
	}
	return d.busyElsewhere(runlock.Holder{Process: head.process})
}

// hold takes the lock unless it is held already.
func (d *Live) hold() error {
	first := false
	d.held.Do(func(h *held) { h.runs++; first = h.runs == 1 })
	if !first {
		return nil
	}
	l, left, err := d.reg.locks.Take(d.File(), d.UUID())
	if busy, ok := errors.AsType[*runlock.HeldError](err); ok {
		d.reg.log.Warn("run refused, the lock is held", log.Notebook(d.Path()), log.Process(busy.Holder.Process), log.Since(busy.Holder.SinceMs))
		return d.busyElsewhere(busy.Holder)
	}
	if err != nil { // a disk that takes nothing is no reason not to answer
		d.reg.log.Error("no lock taken", err, log.Notebook(d.Path()))
		return nil
	}
	if left != nil {
		d.reg.log.Warn("lock taken over", log.Notebook(d.Path()), log.Process(left.Process), log.Since(left.SinceMs))
	}
	d.held.Do(func(h *held) { h.lock = l })
	return nil
}

// Disclaim lets the notebook's lock go, once for each Claim.
func (d *Live) Disclaim() {
	d.held.Do(func(h *held) {
		if h.runs--; h.runs == 0 && h.lock != nil {
			h.lock.Release() // before the next run takes it
			h.lock = nil
		}
	})
}

// busyElsewhere names who runs the agent, on which machine and since when, and the way out.
func (d *Live) busyElsewhere(by runlock.Holder) error {
	who := "another program"
	if by.Process.Number > 0 {
		who += fmt.Sprintf(" (%s on %s", by.Process, cmp.Or(by.Process.Host, "this computer"))
		if by.SinceMs > 0 {
			who += ", since " + time.UnixMilli(by.SinceMs).Format("2006-01-02 15:04:05")
		}
		who += ")"
	}
	return fault.New(fault.Conflict, "Could not run or stop %s here: %s is running it. Wait until that is done, stop the agent there, or end that program", d.Path(), who)
}

// onDisk reads the summary of the file as it is now.
func (d *Live) onDisk() (Summary, error) {
	h, there := d.reg.readSummary(d.Path(), Summary{}, d.reg.prices())
	if !there {
		return h, fault.New(fault.NotFound, "%s is not there", d.Path())
	}
	return h, nil
}

// FollowProcesses publishes when another process that ran an agent of the folder has
// ended, until ctx ends.
func (reg *Registry) FollowProcesses(ctx context.Context) {
	ticker := time.NewTicker(processPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			reg.interruptEnded()
		}
	}
}

// interruptEnded marks the runs of processes that have ended as interrupted.
func (reg *Registry) interruptEnded() {
	runs := map[string]process.ID{}
	reg.index(func(ix *index) {
		for path, h := range ix.summaries {
			if h.Elsewhere != "" {
				runs[path] = h.process
			}
		}
	})
	for path, by := range runs {
		if by.IsSelf() && reg.RunsUnderOldName(path) != nil || !by.IsSelf() && by.Lives() {
			continue
		}
		reg.index(func(ix *index) {
			if h := ix.summaries[path]; h.process == by {
				h.Interrupted, h.Elsewhere, h.process = true, "", process.ID{}
				ix.summaries[path] = h
				ix.publishTree()
			}
		})
		if reg.Opened(path) != nil {
			reg.out.Emit(event.NotebookReloaded{Path: path}) // its cells have another outcome
		}
		reg.host.EndedElsewhere()
	}
}
