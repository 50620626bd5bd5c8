// Package coedit detects conflicts between agents that write the same files: which call would
// overwrite another agent's work, and whether a waiting change is still the one that the person
// saw. It also excludes parts of a change that the person rejects.
//
// Package runner calls it; the inbox of package approval decides.
package coedit

import (
	"context"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
)

// Agents provides a Tracker's knowledge of a folder's agents. It is called without any lock of this
// package but that of one Shown.
type Agents interface {
	// ByUUID returns the agents whose notebooks have one of these uuids.
	ByUUID(uuids map[string]bool) []Agent
	// Reader returns the files that the agent of an open notebook has read; false if the notebook
	// at path is not open.
	Reader(path string) (Reader, bool)
	// WorksIn returns the folder in which the agent with a uuid works, absolute.
	WorksIn(uuid string) string
	// PathOf returns an absolute file as it is shown to the person.
	PathOf(file string) string
	// Versions returns the store of agents' changes; nil: there is none.
	Versions() *checkpoint.Store
}

// Agent is an agent of the folder.
type Agent struct {
	UUID, Path, Name string
	AtWork           bool  // it may write something next
	StartedMs        int64 // when its run began; 0: no run is in progress
}

// Reader is what an agent has read.
type Reader struct {
	UUID string
	Seen interface {
		At(file string) int64    // when it last read or wrote a file in this session; 0: never
		Reads() map[string]int64 // when it last read each file in this session
	}
	Notebook *notebook.Snapshot // nil: it cannot be read
	BeganMs  int64              // when its run began; 0: no run is in progress
}

// Tracker detects write conflicts between the agents of a folder. It is safe for
// concurrent use; its lock is taken last.
type Tracker struct {
	agents Agents
	inbox  *approval.Inbox
	ctx    context.Context
	start  func(func())

	mu     lock.Mutex
	waived map[waiver]bool
	shown  map[request]*Shown // the requests that wait for the person
}

// request names a call of an agent by the uuid of its notebook and the call's id.
type request struct{ notebook, callID string }

// waiver records that the person lets an agent write a file that another agent wrote.
type waiver struct{ notebook, other, file string }

// New returns a Tracker. start runs a function in the background; it is not called
// after ctx has ended.
func New(ctx context.Context, agents Agents, inbox *approval.Inbox, start func(func())) *Tracker {
	return &Tracker{agents: agents, inbox: inbox, ctx: ctx, start: start, waived: map[waiver]bool{}, shown: map[request]*Shown{}}
}

// Waive notes that the person lets an agent write the files of others, for this session.
func (t *Tracker) Waive(notebook string, others []approval.WriteConflict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range others {
		t.waived[waiver{notebook, o.Notebook, o.File}] = true
	}
}

func (t *Tracker) isWaived(x waiver) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waived[x]
}

// Follow registers a request, so that Recheck can renew it, until done is called.
func (t *Tracker) Follow(s *Shown) (done func()) {
	r := request{s.change.Notebook, s.change.CallID}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shown[r] = s
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.shown, r)
	}
}

func (t *Tracker) shownAs(r approval.Request) *Shown {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shown[request{r.Notebook, r.CallID}]
}
