package approval

import (
	"cmp"

	"mutsumi/backend/fault"
)

// Renewed is the reason why a waiting request's changes were renewed.
type Renewed struct {
	File string `json:"file"` // as FileChange.Path; "" when it is one of several
	By   string `json:"by"`   // the agent that wrote it; "" for a person, or when that is not known
	AtMs int64  `json:"atMs"`
}

// upToDate checks the files of a request again just before its approval. It returns a Conflict if
// the person saw other changes than the current ones.
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
		return changedMeanwhile()
	}
	return nil
}

func changedMeanwhile() error {
	return fault.New(fault.Conflict, "the file changed meanwhile: look at the new difference, then decide")
}

// approved returns the fingerprint of exactly what a decision approves. seen is the decision with
// the arguments that the person saw, before parts were left out of them. The error is a Conflict if
// the person saw other changes.
func (b *Inbox) approved(id string, seen, d Decision) (string, error) {
	print, err := b.printOf(id, d)
	if err != nil || print == "" || seen.Seen == "" {
		return print, err
	}
	whole := print
	if seen.Arguments != d.Arguments { // after print, so that it covers what print was made of
		if whole, err = b.printOf(id, seen); err != nil {
			return "", err
		}
	}
	if whole != seen.Seen {
		return "", changedMeanwhile()
	}
	return print, nil
}

// printOf returns the fingerprint of exactly what a decision approves.
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

// Refresh replaces a waiting request by again because a file that it changes has changed. It keeps
// its id, time and whether it was put aside. The error is NotFound if the request is gone.
func (b *Inbox) Refresh(id string, again Request) error {
	return b.change(id, func(r *Request) {
		again.ID, again.AtMs, again.Held = r.ID, r.AtMs, r.Held
		*r = again
	})
}

// SendBack ends the wait of a request that would no longer change anything: Ask returns a decision
// that says so. The error is NotFound if the request is gone.
func (b *Inbox) SendBack(id string) error {
	b.mu.Lock()
	for _, w := range b.waiting {
		if w.request.ID == id {
			b.decide(w, Decision{Scope: Once, sentBack: true})
			b.mu.Unlock()
			b.publish()
			return nil
		}
	}
	b.mu.Unlock()
	return gone()
}
