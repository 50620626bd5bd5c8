package documents

import (
	"context"
	"fmt"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/process"
)

// Another process may run an agent of this folder: a second window, `mutsumi
// serve`, `mutsumi run`. Its notebook says which one, and two do not run it at
// once.

// processPoll is how often it is looked whether such a process still lives.
const processPoll = 2 * time.Second

func runningIn(by process.ID) string { return fmt.Sprintf("running in another program (%s)", by) }

// NotElsewhere is the reason why nothing can be run in the notebook, or
// stopped, while another process runs its agent.
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

// runsAs finds the notebook at work that has the uuid of the file at path and
// another name: the file was renamed, or copied, while its agent works. Not in a Tx.
func (reg *Registry) runsAs(path, uuid string) *Live {
	for _, d := range reg.OpenDocs() {
		if uuid != "" && d.Path() != path && d.running.Load() && d.UUID() == uuid {
			return d
		}
	}
	return nil
}

// RunsUnderOldName is runsAs for a notebook that the tree shows as such.
func (reg *Registry) RunsUnderOldName(path string) *Live {
	h := reg.Summary(path)
	if h.Elsewhere == "" || !h.process.IsSelf() {
		return nil
	}
	return reg.runsAs(path, h.UUID)
}

// Claim makes this process the one that runs the notebook: the file says so
// from here on. Where another process was faster the error names it.
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

// onDisk reads what the file says now.
func (d *Live) onDisk() (Summary, error) {
	h, there := d.reg.readSummary(d.Path(), Summary{}, d.reg.prices())
	if !there {
		return h, fault.New(fault.NotFound, "%s is not there", d.Path())
	}
	return h, nil
}

// FollowProcesses tells when a process has ended that ran an agent of the
// folder, until ctx ends.
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

// interruptEnded takes what ran elsewhere for interrupted when its process has ended.
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
