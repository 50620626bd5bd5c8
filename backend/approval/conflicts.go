package approval

import (
	"fmt"
	"slices"
	"time"
)

// The kinds of warnings about a file as others left it.
const (
	RiskConcurrentWrite = "concurrentWrite" // another agent wrote the same file
	RiskFails           = "fails"           // the call does not fit the file as it is now
)

// forceAsk asks about a call that a grant would allow, if other agents wrote a file that it writes.
// A denial stays a denial.
func (r Request) forceAsk(v Verdict) Verdict {
	if v.Outcome == Allow && len(r.Conflicts) > 0 {
		h := r.Conflicts[0]
		v.Outcome, v.Reason = Ask, fmt.Sprintf("Asks although it was granted: another agent, “%s”, %s %s.", h.Agent, h.wrote(), h.File)
	}
	return v
}

// warnOfConflicts adds a warning for each agent that wrote a file of the request,
// with how long before now that was.
func (r *Request) warnOfConflicts(now time.Time) {
	r.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w Warning) bool { return w.Kind == RiskConcurrentWrite })
	for i, h := range r.Conflicts {
		text := fmt.Sprintf("“%s” %s %s %s ago", h.Agent, h.wrote(), h.File, roughly(now.Sub(time.UnixMilli(h.AtMs))))
		if h.Running {
			text += " and is still at work"
		}
		r.Warnings = slices.Insert(r.Warnings, i, Warning{RiskConcurrentWrite, text})
	}
}

func roughly(d time.Duration) string {
	switch s := int(max(d, 0) / time.Second); {
	case s < 100:
		return fmt.Sprintf("%d s", s)
	case s < 100*60:
		return fmt.Sprintf("%d min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%d h", s/3600)
	default:
		return fmt.Sprintf("%d days", s/86400)
	}
}

// SeenMs is the Decision.SeenMs of a person who saw the request as it is.
func (r Request) SeenMs() int64 {
	at := r.AtMs
	for _, c := range r.Conflicts {
		at = max(at, c.AtMs)
	}
	return at
}

// seenBy returns the conflicts of writes until seenMs; all of them if it is 0.
func seenBy(seenMs int64, conflicts []WriteConflict) []WriteConflict {
	if seenMs == 0 {
		return conflicts
	}
	return slices.DeleteFunc(slices.Clone(conflicts), func(c WriteConflict) bool { return c.AtMs > seenMs })
}

// Hold puts a request aside; for whom is the name of the agent that it waits
// for, and "" ends it. The person can still decide it. The error is NotFound
// when the request is gone.
func (b *Inbox) Hold(id, forWhom string) error {
	return b.change(id, func(r *Request) { r.Held = forWhom })
}

// SetConflicts replaces the write conflicts of a request. The error is
// NotFound when the request is gone.
func (b *Inbox) SetConflicts(id string, conflicts []WriteConflict) error {
	return b.change(id, func(r *Request) { r.Conflicts = conflicts })
}

// Renew replaces a waiting request by again, which keeps its id and time, and decides it if the
// rules do. The error is NotFound if the request is gone.
func (b *Inbox) Renew(id string, again Request) error {
	return b.change(id, func(r *Request) {
		again.ID, again.AtMs = r.ID, r.AtMs
		*r = again
	})
}

// Move updates a notebook's path after its file was renamed.
func (b *Inbox) Move(from, to string) {
	for _, r := range b.Pending() {
		if r.Path == from {
			_ = b.change(r.ID, func(r *Request) { r.Path = to }) // a request that is gone needs no update
		}
	}
}

// change changes a request that waits, reports it, and lets the rules decide it.
func (b *Inbox) change(id string, f func(*Request)) error {
	rules := b.policy.ruling()
	b.mu.Lock()
	i := slices.IndexFunc(b.waiting, func(w *waiter) bool { return w.request.ID == id })
	if i < 0 {
		b.mu.Unlock()
		return gone()
	}
	w := b.waiting[i]
	f(&w.request)
	w.request.warnOfConflicts(b.now())
	v, d, decided := judged(w.request, rules)
	w.request.Verdict = v
	if decided {
		b.decide(w, d)
	} else {
		r := w.request
		b.note(Change{Added: &r})
	}
	b.mu.Unlock()
	b.publish()
	return nil
}
