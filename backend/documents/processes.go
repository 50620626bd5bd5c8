package documents

import (
	"context"
	"fmt"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/process"
)

// Another process may run an agent of this folder: a second window, `mutsumi serve` or
// `mutsumi run`. The notebook names the process, so that two do not run it at once.

// processPoll is how often to check whether such a process still lives.
const processPoll = 2 * time.Second

func runningIn(by process.ID) string { return fmt.Sprintf("running in another program (%s)", by) }

// NotElsewhere returns an error while another process runs the notebook's agent: nothing
// can be run or stopped in it from here.
func (tx *Tx) NotElsewhere() error {
	if by := tx.nb.RunsElsewhere(); by != nil {
		return tx.doc.busyElsewhere(*by)
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

// Claim records in the file that this process runs the notebook. If another process was
// faster, the error names it.
func (d *Live) Claim(ctx context.Context) error {
	_ = d.Written(ctx) // a disk that takes nothing is no reason not to answer
	if !locked(d, func(tx *Tx) bool { return tx.conflict }) {
		return nil
	}
	head, err := d.onDisk()
	if err != nil || head.process == (process.ID{}) {
		return nil // somebody else changed it: the person is asked
	}
	return d.busyElsewhere(head.process)
}

func (d *Live) busyElsewhere(by process.ID) error {
	return fault.New(fault.Conflict, "%s is being run by another program (%s): wait until that is done, or stop it there", d.Path(), by)
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
			reg.out.Emit(event.NotebookReloaded{Path: path}) // its cells say another outcome
		}
		reg.host.EndedElsewhere()
	}
}
