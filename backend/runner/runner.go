// Package runner runs agents: it puts prompts into the queues of their
// notebooks, starts and ends runs, writes answers into notebooks, asks the
// person, and has agents start and ask others. Package request makes what is
// sent, package agent is the loop, package documents owns the notebooks.
package runner

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/approvals"
	"mutsumi/backend/attention"
	"mutsumi/backend/catalog"
	"mutsumi/backend/coedit"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/lock"
	"mutsumi/backend/preferences"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
	"mutsumi/backend/slots"
	"mutsumi/backend/tokens"
	"mutsumi/backend/worktree/owned"
)

// Options are what a Runner is made with.
type Options struct {
	Context   context.Context // ends every run and every wait
	Start     func(func())    // runs a function in the background, which ends with Context
	Folder    string          // absolute
	Registry  *documents.Registry
	Outbox    *event.Outbox
	Settings  *settings.Store
	Connect   func(settings.Endpoint) request.Connection // nil: no model can be asked
	Tools     request.Policy
	Access    *access.Access
	Approvals *approvals.Approvals
	Attention *attention.Announcer
	Catalog   *catalog.Catalog
	Coedits   *coedit.Tracker
	Commands  *commands.Commands
	Counters  *tokens.Counters
	History   *filehistory.History
	Kept      *agentfiles.Store
	Kinds     *role.Kinds
	Making    *lock.Mutex // held while children are made, which may wait for git
	Prices    *preferences.Prices
	Trees     *owned.Trees
	// Requests gives what makes requests for the agents that this Runner runs.
	Requests func(request.Agents) *request.Maker
}

// Runner runs the agents of a folder. It is safe for concurrent use.
type Runner struct {
	*notebooks
	with     Options
	out      *event.Outbox
	slots    *slots.Limiter[*run]
	requests *request.Maker
	pause    *pause
	forks    *forks
	consults *consultation

	naming lock.Mutex // held while the program names an agent; taken after a document's lock
}

// New makes a Runner.
func New(o Options) *Runner {
	r := &Runner{notebooks: &notebooks{o.Registry}, with: o, out: o.Outbox, pause: &pause{out: o.Outbox}}
	r.slots = slots.New[*run](func() int { return o.Settings.Preferences().ParallelAgents })
	r.requests = o.Requests(agents{r})
	r.forks = &forks{
		notebooks: r.notebooks, catalog: o.Catalog, access: o.Access, kinds: o.Kinds, settings: o.Settings, slots: r.slots,
		folder: o.Folder, ctx: o.Context, trees: o.Trees, making: o.Making,
	}
	r.consults = &consultation{
		notebooks: r.notebooks, access: o.Access, kinds: o.Kinds, settings: o.Settings, pause: r.pause, prices: o.Prices,
		connect: o.Connect, counters: o.Counters, folder: o.Folder, requests: r.requests,
	}
	return r
}

// Serve gives slots to runs that wait for one, until the context ends.
func (rn *Runner) Serve() { rn.slots.Serve(rn.with.Context) }

// SlotsChanged is called when there may be more slots than before.
func (rn *Runner) SlotsChanged() { rn.slots.Wake() }

// AgentsChanged is called when an agent's state is another one for a reason that
// no run knows: its file is gone, or another process ended that ran it.
func (rn *Runner) AgentsChanged() { rn.forks.publish() }

// Paused reports whether the person holds all agents.
func (rn *Runner) Paused() bool { return rn.pause.isPaused() }

// Requests makes the requests of the agents.
func (rn *Runner) Requests() *request.Maker { return rn.requests }

// nowMs is the time in events: Unix milliseconds.
func nowMs() int64 { return time.Now().UnixMilli() }

// newID makes a uuid.
func newID() string { return uuid.NewString() }
