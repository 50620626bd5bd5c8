package workspace

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

// lookAfter is how often it is looked whether such a process still lives.
const lookAfter = 2 * time.Second

func runningIn(by process.ID) string { return fmt.Sprintf("running in another program (%s)", by) }

// notElsewhere is the reason why nothing can be run in the notebook, or
// stopped, while another process runs its agent.
func (tx queueTx) notElsewhere() error {
	if by := tx.nb.RunsElsewhere(); by != nil {
		return tx.doc.busyElsewhere(*by)
	}
	h := tx.w.registry.headAt(tx.path())
	if h.Elsewhere != "" && h.process.IsSelf() {
		return fault.New(fault.Conflict, "%s is %s: wait until that is done, or stop it", tx.path(), h.Elsewhere)
	}
	return nil
}

// runsAs finds the notebook at work that has the uuid of the file at path and
// another name: the file was renamed, or copied, while its agent works. Not in a Tx.
func (reg *registry) runsAs(path, uuid string) *doc {
	for _, d := range reg.openDocs() {
		if uuid != "" && d.path() != path && d.runs.Load() && d.uuid() == uuid {
			return d
		}
	}
	return nil
}

// runsUnderOldName is runsAs for a notebook that the tree shows as such.
func (reg *registry) runsUnderOldName(path string) *doc {
	h := reg.headAt(path)
	if h.Elsewhere == "" || !h.process.IsSelf() {
		return nil
	}
	return reg.runsAs(path, h.UUID)
}

// claim makes this process the one that runs the notebook: the file says so
// from here on. Where another process was faster the error names it.
func (d *doc) claim(ctx context.Context) error {
	_ = d.written(ctx) // a disk that takes nothing is no reason not to answer
	if !locked(d, func(tx *Tx) bool { return tx.conflict }) {
		return nil
	}
	head, err := d.headOnDisk()
	if err != nil || head.process == (process.ID{}) {
		return nil // somebody else changed it: the person is asked
	}
	return d.busyElsewhere(head.process)
}

func (d *doc) busyElsewhere(by process.ID) error {
	return fault.New(fault.Conflict, "%s is being run by another program (%s): wait until that is done, or stop it there", d.path(), by)
}

// headOnDisk reads what the file says now.
func (d *doc) headOnDisk() (head, error) {
	h, there := d.w.readHead(d.path(), head{}, d.w.prices())
	if !there {
		return h, fault.New(fault.NotFound, "%s is not there", d.path())
	}
	return h, nil
}

// followProcesses tells when a process has ended that ran an agent of the
// folder, until ctx ends.
func (w *Workspace) followProcesses(ctx context.Context) {
	ticker := time.NewTicker(lookAfter)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.lookForEnded()
		}
	}
}

// lookForEnded takes what ran elsewhere for interrupted when its process has ended.
func (w *Workspace) lookForEnded() {
	runs := map[string]process.ID{}
	w.registry.index(func(ix *index) {
		for path, h := range ix.heads {
			if h.Elsewhere != "" {
				runs[path] = h.process
			}
		}
	})
	for path, by := range runs {
		if by.IsSelf() && w.registry.runsUnderOldName(path) != nil || !by.IsSelf() && by.Lives() {
			continue
		}
		w.registry.index(func(ix *index) {
			if h := ix.heads[path]; h.process == by {
				h.Interrupted, h.Elsewhere, h.process = true, "", process.ID{}
				ix.heads[path] = h
				ix.tellTree()
			}
		})
		if w.registry.opened(path) != nil {
			w.out.Emit(event.NotebookReloaded{Path: path}) // its cells say another outcome
		}
		w.forks.tell()
	}
}
