package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/cost"
	"mutsumi/backend/metaedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
)

// budgetTool is the name under which a spent budget asks in the inbox.
const budgetTool = "budget"

// budget is what the notebook may cost, in dollars; 0 without a bound.
func (tx spendingTx) budget() (dollars float64) {
	if raw := tx.Notebook().Raw(metaedit.KeyBudget); raw == nil || json.Unmarshal(raw, &dollars) != nil || dollars < 0 {
		return 0
	}
	return dollars
}

// withinBudget is asked before a request of a run goes out: whether there is
// money for it in the notebook's own budget and in those of the agents that it
// stems from. Where one is spent it waits for the person, who lets the agents
// go on for as much again or ends the run; false ends it.
func (d *doc) withinBudget(ctx context.Context, r *run) bool {
	for _, owner := range d.budgetOwners() {
		if decision, _ := owner.budgetDecision(); decision.Verdict == cost.Ask && !d.raiseBudget(ctx, r, owner) {
			return false
		}
	}
	return true
}

// budgetOwners lists the notebooks whose budgets a request of this one counts
// against: its own, and those of the agents that it stems from, whether anybody
// has them open or not. One that cannot be read has no budget that is known.
func (d *doc) budgetOwners() []*doc {
	owners := []*doc{d}
	for _, path := range d.runner.registry.Ancestors(d.Path()) {
		d.runner.open(path, func(tx *Tx, _ *notebook.Document) error {
			if tx.spending().budget() > 0 {
				tx.paysForChildren = true
				owners = append(owners, tx.work.doc)
			}
			return nil
		})
	}
	return owners
}

// raiseBudget gets more of an owner's budget from the person, and gives the run's
// slot back meanwhile.
func (d *doc) raiseBudget(ctx context.Context, r *run, owner *doc) bool {
	left := d.runner.slots.Release(r)
	if !d.requestRaise(ctx, r, owner) {
		return false
	}
	if left { // else somebody else left it, who takes it again
		d.reacquireSlot(ctx, r)
	}
	d.traceHeld(false)
	return ctx.Err() == nil
}

// requestRaise asks the person for more of an owner's budget. Of several agents
// that come to its end at once one asks, and the others wait for the answer.
func (d *doc) requestRaise(ctx context.Context, r *run, owner *doc) bool {
	select {
	case owner.raising <- struct{}{}:
	default:
		d.setAction("waiting for a budget")
		select {
		case owner.raising <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		d.setAction("thinking")
	}
	defer func() { <-owner.raising }()
	decision, request := owner.budgetDecision()
	if decision.Verdict != cost.Ask {
		return true
	}
	request.About.Path, request.About.Cell = d.Path(), r.cell
	request.About.Waits = func() { d.traceHeld(true) }
	asked := approval.NewRequest(request.Call, request.About)
	asked.Suggestions = []approval.Suggestion{} // no rule spends money for ever
	answer, err := d.runner.with.Approvals.Inbox().Ask(ctx, asked)
	if err != nil || !answer.Allow {
		return false
	}
	owner.do(func(tx *Tx) { tx.raises++ })
	return true
}

// budgetRequest is what the person is asked when a budget is spent.
type budgetRequest struct {
	approval.Call
	approval.About
}

// budgetDecision says what the notebook's budget says now, and how to ask for more.
func (d *doc) budgetDecision() (decision cost.Decision, request budgetRequest) {
	d.do(func(tx *Tx) {
		if tx.Notebook() == nil {
			return
		}
		limit, meta := cost.FromDollars(tx.spending().budget()), tx.Notebook().Meta()
		granted := limit
		for range tx.raises {
			granted = granted.Add(limit)
		}
		decision = tx.spending().decide(granted)
		request = budgetRequest{approval.Call{
			Tool: budgetTool, Notebook: meta.UUID, Workspace: d.runner.with.Folder,
			Arguments: fmt.Sprintf(`{"spent":%q,"budget":%q,"more":%q}`, tx.spending().spentInTree().Text(), granted, limit),
		}, approval.About{
			Action: fmt.Sprintf("going on past the budget of %s", granted), Why: decision.Text, Agent: meta.Name,
		}}
	})
	return decision, request
}

// decide is what a budget of that limit says now.
func (tx spendingTx) decide(limit cost.Money) cost.Decision {
	return cost.Budget{Limit: limit, Tree: tx.runner.registry.Below(tx.Path()) != (cost.Total{})}.Decide(tx.spentInTree(), cost.Total{})
}

// spentInTree is what the notebook cost so far, with the agents that stem from
// its own.
func (tx spendingTx) spentInTree() cost.Total {
	return tx.total().Add(tx.underWay()).Add(tx.runner.registry.Below(tx.Path()))
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
