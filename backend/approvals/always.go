package approvals

import (
	"bytes"
	"context"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
)

// loadAlways loads the rules for always into the policy if they were not read yet, or another
// process changed them. An error leaves the rules of the policy as they are.
func (a *Approvals) loadAlways() error {
	return a.always.Read(func(kept []byte) error {
		_, _, err := a.mergeAlways(kept)
		return err
	})
}

func (a *Approvals) mergeAlways(kept []byte) (merged []byte, stored func(), err error) {
	return a.policy.Merge(approval.Always, "", kept)
}

// readAlways is loadAlways for the policy, which calls it before it uses its rules.
func (a *Approvals) readAlways() { a.exchange(a.loadAlways) }

// keepAlways stores what this process changed in the rules for always, and loads what other
// processes changed.
func (a *Approvals) keepAlways() {
	a.exchange(func() error { return a.always.Change(a.mergeAlways) })
}

// exchange reads or stores the rules for always, and shows the person if other rules hold
// afterwards, or if it failed.
func (a *Approvals) exchange(f func() error) {
	before := a.policy.Save(approval.Always, "")
	err := f()
	if !bytes.Equal(before, a.policy.Save(approval.Always, "")) {
		a.with.Outbox.Emit(event.GrantsChanged{})
	}
	a.report("", err)
}

// Follow decides waiting requests when another process changes the rules for always, until ctx
// ends. start runs a function on a goroutine of its own.
func (a *Approvals) Follow(ctx context.Context, start func(func())) {
	start(func() { a.always.Watch(ctx, a.inbox.Recheck, a.inbox.Recheck) })
}

// report shows the person that rules could not be read or saved. Path is the notebook that they are
// for; "" for always. A nil error is none.
func (a *Approvals) report(path string, err error) {
	if err != nil {
		a.with.Outbox.Emit(event.NotebookSaved{Path: path, AtMs: time.Now().UnixMilli(), Fault: fault.Of(err)})
	}
}
