// Package runner runs the agents of a folder: it queues prompts, starts and ends
// runs, streams answers into notebooks, asks the person for approval, and lets
// agents start and consult other agents. Package request builds what is sent,
// package agent is the loop, and package documents owns the notebooks.
package runner

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/access"
	"mutsumi/backend/acp"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/approvals"
	"mutsumi/backend/attention"
	"mutsumi/backend/catalog"
	"mutsumi/backend/coedit"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/ledger"
	"mutsumi/backend/lock"
	"mutsumi/backend/log"
	"mutsumi/backend/preferences"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
	"mutsumi/backend/slots"
	"mutsumi/backend/tokens"
	"mutsumi/backend/worktree/owned"
)

// Options configure a Runner.
type Options struct {
	Context  context.Context // ends every run and every wait
	Start    func(func())    // runs a function in the background; it must end with Context
	Folder   string          // absolute
	Registry *documents.Registry
	Outbox   *event.Outbox
	Settings *settings.Store
	Connect  func(settings.Endpoint) request.Connection // nil: no model can be reached
	Tools    request.Policy
	Once     bool // only one prompt is run, for the command line
	Access   *access.Access
	Agents   *acp.Agents // other agents that can answer notebooks
	// Trusted reports whether the folder is trusted, once that is known. It returns when ctx ends.
	Trusted   func(ctx context.Context) bool
	Approvals *approvals.Approvals
	Attention *attention.Announcer
	Catalog   *catalog.Catalog
	Coedits   *coedit.Tracker
	Commands  *commands.Commands
	Compactor Compactor
	Counters  *tokens.Counters
	History   *filehistory.History
	Kept      *agentfiles.Store
	Kinds     *role.Kinds
	Log       *log.Log
	Making    *lock.Mutex // held while children are made, which may have to wait for git
	Prices    *preferences.Prices
	Trees     *owned.Trees
	// Requests returns the Maker of the requests of this Runner's agents.
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
	records  recorder
	forks    *forks
	consults *consultation

	naming lock.Mutex // held while the program names an agent, so that names differ; taken after a document's lock
}

// New returns a Runner. Slots are assigned once Serve runs.
func New(o Options) *Runner {
	r := &Runner{notebooks: &notebooks{o.Registry}, with: o, out: o.Outbox, pause: &pause{out: o.Outbox}}
	r.records = recorder{ledger.NewStore(), o.Kept.Ledger}
	r.slots = slots.New[*run](func() int { return o.Settings.Preferences().ParallelAgents })
	r.requests = o.Requests(agents{r})
	r.forks = &forks{
		notebooks: r.notebooks, catalog: o.Catalog, access: o.Access, kinds: o.Kinds, settings: o.Settings, slots: r.slots,
		folder: o.Folder, ctx: o.Context, trees: o.Trees, making: o.Making,
	}
	r.consults = &consultation{
		notebooks: r.notebooks, access: o.Access, kinds: o.Kinds, settings: o.Settings, pause: r.pause, prices: o.Prices,
		connect: o.Connect, counters: o.Counters, folder: o.Folder, requests: r.requests, records: r.records,
	}
	return r
}

// Serve assigns slots to runs that wait for one, until Options.Context ends.
func (rn *Runner) Serve() { rn.slots.Serve(rn.with.Context) }

// SlotsChanged must be called when there may be more slots than before.
func (rn *Runner) SlotsChanged() { rn.slots.Wake() }

// AgentsChanged must be called when an agent's state changed for a reason outside its runs: its
// file was removed, or the other process that ran it ended.
func (rn *Runner) AgentsChanged() { rn.forks.publish() }

// Paused reports whether all agents are paused.
func (rn *Runner) Paused() bool { return rn.pause.isPaused() }

// Requests returns the Maker of the agents' requests.
func (rn *Runner) Requests() *request.Maker { return rn.requests }

// nowMs returns the current time in Unix milliseconds, as events carry it.
func nowMs() int64 { return time.Now().UnixMilli() }

// newID returns a new uuid.
func newID() string { return uuid.NewString() }
