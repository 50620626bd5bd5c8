package workspace

import (
	"context"
	"encoding/json"
	"fmt"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/cost"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
)

// keyBudget is where a notebook keeps what it may cost, in dollars.
const keyBudget = "mutsumi_budget"

// budgetTool is the name under which a spent budget asks in the inbox.
const budgetTool = "budget"

// SetBudget says what a notebook may cost, in dollars; 0 takes the bound away.
func (w *Workspace) SetBudget(path string, dollars float64) error {
	if dollars < 0 || dollars > 1e6 {
		return fault.New(fault.Invalid, "a budget goes from $0 to $1,000,000")
	}
	return w.changeMeta(path, "change budget", func(*notebook.Document) (map[string]json.RawMessage, error) {
		if dollars == 0 {
			return map[string]json.RawMessage{keyBudget: nil}, nil
		}
		raw, err := json.Marshal(dollars)
		return map[string]json.RawMessage{keyBudget: raw}, err
	})
}

// budget is what the notebook may cost, in dollars; 0 without a bound. Under d.mu.
func (d *doc) budget() (dollars float64) {
	if raw := d.nb.Raw(keyBudget); raw == nil || json.Unmarshal(raw, &dollars) != nil || dollars < 0 {
		return 0
	}
	return dollars
}

// withinBudget is asked before a request of a run goes out. When the budget of
// the notebook is spent it waits for the person, who lets the run go on for as
// much again or ends it; false ends it.
func (d *doc) withinBudget(ctx context.Context, r *run) bool {
	d.mu.Lock()
	limit := cost.FromDollars(d.budget())
	spent, meta := d.total.Add(r.spent), d.nb.Meta()
	d.mu.Unlock()
	if limit == 0 {
		return true
	}
	granted := limit
	for range r.more {
		granted = granted.Add(limit)
	}
	decision := cost.Budget{Limit: granted}.Decide(spent, cost.Total{})
	if decision.Verdict != cost.Ask {
		return true
	}
	request := approval.NewRequest(approval.Call{
		Tool: budgetTool, Notebook: meta.UUID, Workspace: d.w.folder,
		Arguments: fmt.Sprintf(`{"spent":%q,"budget":%q,"more":%q}`, spent.Text(), granted, limit),
	}, approval.About{
		Action: fmt.Sprintf("going on past the budget of %s", granted), Why: decision.Text, Path: d.path, Agent: meta.Name, Cell: r.cell,
	})
	request.Suggestions = []approval.Suggestion{} // no rule spends money for ever
	answer, err := d.w.inbox.Ask(ctx, request)
	if err != nil || !answer.Allow {
		return false
	}
	r.more++
	return true
}

// budgeted is a model that is asked only as long as there is money for it.
type budgeted struct {
	agent.Model
	within func(context.Context) bool
	stop   func()
}

// Stream implements agent.Model.
func (b budgeted) Stream(ctx context.Context, req provider.Request, fn func(provider.Chunk) error) error {
	if !b.within(ctx) {
		b.stop()
		return context.Canceled
	}
	return b.Model.Stream(ctx, req, fn)
}
