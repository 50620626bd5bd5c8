// Package coedit looks after files that several agents write: who wrote what,
// which call would write over another agent's work, and whether a change that
// waits for the person is still the one that they were shown. It also takes
// parts out of a change that the person does not want.
//
// It decides nothing: the inbox of package approval does. It knows notebooks
// only as far as Agents tells. Package runner calls it.
package coedit

import (
	"context"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
)

// Agents is what a Tracker asks about the agents of a folder. It is called
// without any lock of this package.
type Agents interface {
	// Among returns the agents whose notebooks have one of these uuids.
	Among(uuids map[string]bool) []Agent
	// Reader returns what the agent of an open notebook knows of files; false
	// when the notebook at path is not open.
	Reader(path string) (Reader, bool)
	// WorksIn is the folder in which the agent with a uuid works, absolute.
	WorksIn(uuid string) string
	// PathOf is an absolute file as the person is shown it.
	PathOf(file string) string
	// Versions is the store of the changes of agents; nil: there is none.
	Versions() *checkpoint.Store
}

// Agent is an agent of the folder.
type Agent struct {
	UUID, Path, Name string
	Works            bool  // it may write something next
	StartedMs        int64 // when its run began; 0: no run is in progress
}

// Reader is an agent as one that reads files.
type Reader struct {
	UUID string
	Seen interface {
		At(file string) int64    // when it read or wrote a file last, in this session; 0: never
		Reads() map[string]int64 // when it read each file last, in this session
	}
	Notebook *notebook.Snapshot // nil: not there
	BeganMs  int64              // when its run began; 0: no run is in progress
}

// Tracker knows what this session has to know of files that several agents
// write. It is safe for concurrent use; its lock is taken last.
type Tracker struct {
	agents Agents
	inbox  *approval.Inbox
	ctx    context.Context
	start  func(func())

	mu     lock.Mutex
	waived map[waiver]bool
	shown  map[request]*Shown // that wait for the person
}

// request is a call of the agent with that notebook.
type request struct{ notebook, callID string }

// waiver says that the person lets two agents write the same file.
type waiver struct{ notebook, other, file string }

// New makes a tracker. start runs a function in the background; nothing is
// started any more once ctx has ended.
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

// Follow keeps how a request is made anew until the function that it returns
// is called.
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
