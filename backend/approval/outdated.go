package approval

import (
	"cmp"

	"mutsumi/backend/fault"
)

// Renewed says of a request that waits what made its changes new.
type Renewed struct {
	File string `json:"file"` // as FileChange.Path; "" when it is one of several
	By   string `json:"by"`   // the agent that wrote it; "" for a person, or when that is not known
	AtMs int64  `json:"atMs"`
}

// upToDate looks once more at the files of a request that is about to be
// approved. It is a Conflict when the person saw something else than what would
// change now.
func (b *Inbox) upToDate(id string, d Decision) error {
	r, ok := b.waitingFor(id)
	if !ok || !d.Allow || r.refresh == nil || r.Fingerprint == "" {
		return nil
	}
	r.refresh()
	now, ok := b.waitingFor(id)
	switch {
	case !ok:
		return fault.New(fault.Conflict, "the file changed, and the call no longer fits it: nothing was written, and the agent gets the reason")
	case d.Seen == "":
		return nil
	}
	print := now.Fingerprint
	if d.Arguments != "" && now.fingerprintOf != nil {
		var err error
		if print, err = now.fingerprintOf(d.Arguments); err != nil {
			return fault.New(fault.Invalid, "the changed arguments cannot be used: %w", err)
		}
	}
	if print != d.Seen {
		return fault.New(fault.Conflict, "the file changed meanwhile: look at the new difference, then decide")
	}
	return nil
}

// printOf returns the print of exactly what a decision approves.
func (b *Inbox) printOf(id string, d Decision) (string, error) {
	r, ok := b.waitingFor(id)
	if !ok || !d.Allow || r.fingerprintOf == nil {
		return "", nil
	}
	print, err := r.fingerprintOf(cmp.Or(d.Arguments, r.Arguments))
	if err != nil {
		return "", fault.New(fault.Conflict, "the change cannot be made any more: %w", err)
	}
	return print, nil
}

// Refresh puts a request made anew in the place of one that waits because a
// file that it changes is another one now. It keeps its id and time, and stays
// put aside where it was. The error is NotFound when the request is gone.
func (b *Inbox) Refresh(id string, again Request) error {
	return b.change(id, func(r *Request) {
		again.ID, again.AtMs, again.Held = r.ID, r.AtMs, r.Held
		*r = again
	})
}

// SendBack ends the wait of a request that would change nothing any more: Ask
// returns a decision that says so. The error is NotFound when the request is
// gone.
func (b *Inbox) SendBack(id string) error {
	b.mu.Lock()
	for _, w := range b.waiting {
		if w.request.ID == id {
			b.drop(w)
			w.answer <- Decision{Scope: Once, sentBack: true}
			b.mu.Unlock()
			b.publish()
			return nil
		}
	}
	b.mu.Unlock()
	return gone()
}
