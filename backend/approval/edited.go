package approval

import (
	"mutsumi/backend/fault"
)

// waitingFor returns a request that waits.
func (b *Inbox) waitingFor(id string) (Request, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.waiting {
		if w.request.ID == id {
			return w.request, true
		}
	}
	return Request{}, false
}

// Preview returns a request as it would be with other arguments ("" for its own) and how the rules
// would judge it, without deciding it. Errors: NotFound if the request is gone, Invalid if the
// arguments cannot be used or the request cannot be changed.
func (b *Inbox) Preview(id, arguments string) (Request, error) {
	r, ok := b.waitingFor(id)
	switch {
	case !ok:
		return Request{}, gone()
	case r.preview == nil:
		return Request{}, fault.New(fault.Invalid, "this request is decided as it is")
	case arguments == "":
		arguments = r.Arguments
	}
	now, err := r.preview(arguments)
	if err != nil {
		return Request{}, fault.New(fault.Invalid, "the changed arguments cannot be used: %w", err)
	}
	now.ID, now.AtMs, now.Held, now.Verdict = r.ID, r.AtMs, r.Held, now.forceAsk(b.policy.Check(now.call))
	now.warnOfConflicts(b.now())
	return now, nil
}

// trim takes the hunks that the person does not want out of the arguments of a
// decision.
func (b *Inbox) trim(id string, d *Decision) error {
	if !d.Allow || len(d.Left) == 0 {
		return nil
	}
	r, ok := b.waitingFor(id)
	switch {
	case !ok:
		return gone()
	case r.without == nil:
		return fault.New(fault.Invalid, "this request has no parts that could be left out")
	}
	arguments := d.Arguments
	if arguments == "" {
		arguments = r.Arguments
	}
	rest, note, err := r.without(arguments, d.Left)
	if err != nil {
		return err
	}
	d.Arguments, d.note = rest, note
	return nil
}

func gone() error { return fault.New(fault.NotFound, "this request is not waiting any more") }
