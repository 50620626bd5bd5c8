package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/cost"
	"mutsumi/backend/metaedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
)

// budgetTool is the tool that a request about a spent budget names in the inbox.
const budgetTool = "budget"

// budget returns what the notebook may cost, in dollars; 0: no limit.
func (tx spendingTx) budget() (dollars float64) {
	if raw := tx.Notebook().Raw(metaedit.KeyBudget); raw == nil || json.Unmarshal(raw, &dollars) != nil || dollars < 0 {
		return 0
	}
	return dollars
}

// withinBudget reports whether a run may send its next request: the notebook's own
// budget and those of its ancestors must allow it. If one is spent, it waits for the
// person, who raises it by the same amount again or ends the run (false).
func (d *doc) withinBudget(ctx context.Context, r *run) bool {
	for _, owner := range d.budgetOwners() {
		if decision, _ := owner.budgetDecision(); decision.Verdict == cost.Ask && !d.raiseBudget(ctx, r, owner) {
			return false
		}
	}
	return true
}

// isOverBudget reports whether a budget that the notebook's requests count against is spent.
func (d *doc) isOverBudget() bool {
	return slices.ContainsFunc(d.budgetOwners(), func(owner *doc) bool {
		decision, _ := owner.budgetDecision()
		return decision.Verdict == cost.Ask
	})
}

// budgetOwners lists the notebooks whose budgets a request of this one counts against: itself and
// its ancestors, which are loaded if they are not open. A notebook that cannot be read has no known
// budget.
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

// raiseBudget asks the person to raise an owner's budget, and releases the run's
// slot while it waits. It reports whether the run may go on.
func (d *doc) raiseBudget(ctx context.Context, r *run, owner *doc) bool {
	released := d.runner.slots.Release(r)
	if !d.requestRaise(ctx, r, owner) {
		return false
	}
	if released { // otherwise another call of the run released it and reacquires it
		d.reacquireSlot(ctx, r)
	}
	d.traceHeld(false)
	return ctx.Err() == nil
}

// requestRaise asks the person to raise an owner's budget. If several agents reach
// its limit at once, one asks and the others wait for the answer.
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
	request.About.OnWait = func() { d.traceHeld(true) }
	asked := approval.NewRequest(request.Call, request.About)
	asked.Suggestions = []approval.Suggestion{} // no rule may spend without limit
	asking, end := owner.untilBudgetAllows(ctx)
	answer, err := d.runner.with.Approvals.Inbox().Ask(asking, asked)
	end(nil)
	if err != nil { // the person gave no answer
		return ctx.Err() == nil && errors.Is(context.Cause(asking), errBudgetAllows)
	}
	if !answer.Allow {
		return false
	}
	owner.do(func(tx *Tx) { tx.raises++ })
	return true
}

// budgetRecheck is how often a spent budget is looked at again while the person is asked to raise it.
const budgetRecheck = 500 * time.Millisecond

var errBudgetAllows = errors.New("the budget allows the request now")

// untilBudgetAllows returns a context that is cancelled with errBudgetAllows as soon as the notebook's
// budget allows a request again: the person may set a higher one meanwhile, prices may change, and an
// answer may cost less than was estimated. end ends it.
func (d *doc) untilBudgetAllows(ctx context.Context) (waiting context.Context, end context.CancelCauseFunc) {
	waiting, end = context.WithCancelCause(ctx)
	d.runner.with.Start(func() {
		again := time.NewTicker(budgetRecheck)
		defer again.Stop()
		for {
			select {
			case <-waiting.Done():
				return
			case <-again.C:
				if decision, _ := d.budgetDecision(); decision.Verdict != cost.Ask {
					end(errBudgetAllows)
				}
			}
		}
	})
	return waiting, end
}

// budgetRequest is the request to the person when a budget is spent.
type budgetRequest struct {
	approval.Call
	approval.About
}

// budgetDecision returns what the notebook's budget allows now, and the request for a higher one.
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

// decide returns what a budget with this limit allows now.
func (tx spendingTx) decide(limit cost.Money) cost.Decision {
	return cost.Budget{Limit: limit, Tree: tx.runner.registry.Below(tx.Path()) != (cost.Total{})}.Decide(tx.spentInTree(), cost.Total{})
}

// spentInTree returns what the notebook's agent and its descendants have cost so far.
func (tx spendingTx) spentInTree() cost.Total {
	return tx.total().Add(tx.underWay()).Add(tx.runner.registry.Below(tx.Path()))
}

// budgeted is a model that gets requests only while within reports that the budget
// allows them; otherwise it calls stop.
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

// stopOverBudget cancels a run whose budget is spent. It must not be called in a Tx.
func (d *doc) stopOverBudget(r *run) {
	d.do(func(tx *Tx) {
		r.overBudget = r.ctx.Err() == nil
		r.cancel()
	})
}
