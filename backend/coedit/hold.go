package coedit

import (
	"slices"
	"strings"

	"mutsumi/backend/approval"
	"mutsumi/backend/fault"
)

// Hold puts a request on hold until the other agents that wrote its file are done; then it is
// renewed. The person can still decide it before that. Errors: NotFound if the request is gone,
// Invalid if no other agent is writing its file.
func (t *Tracker) Hold(id string) error {
	waiting := t.inbox.Pending()
	i := slices.IndexFunc(waiting, func(r approval.Request) bool { return r.ID == id })
	if i < 0 {
		return fault.New(fault.NotFound, "this request is not waiting any more")
	}
	names := namesOf(t.atWork(waiting[i].Conflicts))
	if names == "" {
		return fault.New(fault.Invalid, "no other agent is writing this file any more: there is nothing to wait for")
	}
	if err := t.inbox.Hold(id, names); err != nil {
		return err
	}
	t.Recheck() // it may have ended just now
	return nil
}

// Recheck must be called when an agent may have written a file, and when it is done. In the
// background, it ends the hold of requests that waited for that agent alone, and updates the
// conflicts of others. It may be called with a document's lock.
func (t *Tracker) Recheck() {
	if t.ctx.Err() != nil || !slices.ContainsFunc(t.inbox.Pending(), mayConflict) {
		return
	}
	t.start(func() {
		for _, r := range t.inbox.Pending() {
			if s := t.shownAs(r); s != nil && mayConflict(r) {
				t.recheck(s, r.ID)
			}
		}
	})
}

func (t *Tracker) recheck(s *Shown, id string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	waiting := t.inbox.Pending()
	i := slices.IndexFunc(waiting, func(r approval.Request) bool { return r.ID == id })
	if i < 0 {
		return
	}
	r := waiting[i]
	works := t.atWork(r.Conflicts)
	names, now := namesOf(works), stillRunning(r.Conflicts, works)
	if r.Held == "" && r.Fingerprint == "" {
		now = withEarlier(s.make(s.ctx, s).Conflicts, now)
	}
	switch { // the inbox ignores a request that has been decided
	case r.Held == "" && !slices.Equal(now, r.Conflicts):
		t.inbox.SetConflicts(r.ID, now)
	case r.Held != "" && names == "":
		next := s.renew()
		next.Conflicts = withEarlier(next.Conflicts, r.Conflicts)
		t.inbox.Renew(r.ID, next)
	case r.Held != "" && names != "" && names != r.Held:
		t.inbox.Hold(r.ID, names)
	}
}

// mayConflict reports whether the conflicts of a request can change while its files do not: if it
// has some, or its files are not known and so not followed, as those of a command.
func mayConflict(r approval.Request) bool { return len(r.Conflicts) > 0 || r.Fingerprint == "" }

// atWork returns the agents among conflicts that are still at work.
func (t *Tracker) atWork(conflicts []approval.WriteConflict) []Agent {
	wanted := map[string]bool{}
	for _, h := range conflicts {
		wanted[h.Notebook] = true
	}
	return slices.DeleteFunc(t.agents.ByUUID(wanted), func(a Agent) bool { return !a.AtWork })
}

func namesOf(agents []Agent) string {
	var names []string
	for _, a := range agents {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, ", ")
}

// stillRunning returns a copy of conflicts in which only agents that are still at work
// are marked as running.
func stillRunning(conflicts []approval.WriteConflict, works []Agent) []approval.WriteConflict {
	now := slices.Clone(conflicts)
	for i := range now {
		h := &now[i]
		h.Running = h.Running && slices.ContainsFunc(works, func(a Agent) bool { return a.UUID == h.Notebook })
	}
	return now
}

// withEarlier adds to the present conflicts of a request those that it showed before, such as those
// that it was held for, so that the person sees their result.
func withEarlier(now, before []approval.WriteConflict) []approval.WriteConflict {
	for _, h := range before {
		same := func(x approval.WriteConflict) bool { return x.Notebook == h.Notebook && x.File == h.File }
		if !slices.ContainsFunc(now, same) {
			h.Running = false
			now = append(now, h)
		}
	}
	return now
}
