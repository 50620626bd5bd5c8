package workspace

import (
	"context"
	"encoding/json"
	"fmt"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
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

// withinBudget is asked before a request of a run goes out: whether there is
// money for it in the notebook's own budget and in those of the agents that it
// stems from. Where one is spent it waits for the person, who lets the agents
// go on for as much again or ends the run; false ends it.
func (d *doc) withinBudget(ctx context.Context, r *run) bool {
	for _, owner := range append([]*doc{d}, d.w.openAncestors(d.path())...) {
		if decision, _ := owner.askForMore(); decision.Verdict == cost.Ask && !d.getMore(ctx, r, owner) {
			return false
		}
	}
	return true
}

// getMore gets more of an owner's budget from the person, and gives the run's
// seat back meanwhile.
func (d *doc) getMore(ctx context.Context, r *run, owner *doc) bool {
	left := d.w.seats.leave(r)
	if !d.asksForMore(ctx, r, owner) {
		return false
	}
	if left { // else somebody else left it, who takes it again
		d.seatAgain(ctx, r)
	}
	d.showHeld(false)
	return ctx.Err() == nil
}

// asksForMore asks the person for more of an owner's budget. Of several agents
// that come to its end at once one asks, and the others wait for the answer.
func (d *doc) asksForMore(ctx context.Context, r *run, owner *doc) bool {
	select {
	case owner.asks <- struct{}{}:
	default:
		d.act("waiting for a budget")
		select {
		case owner.asks <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		d.act("thinking")
	}
	defer func() { <-owner.asks }()
	decision, request := owner.askForMore()
	if decision.Verdict != cost.Ask {
		return true
	}
	request.About.Path, request.About.Cell = d.path(), r.cell
	request.About.Waits = func() { d.showHeld(true) }
	asked := approval.NewRequest(request.Call, request.About)
	asked.Suggestions = []approval.Suggestion{} // no rule spends money for ever
	answer, err := d.w.inbox.Ask(ctx, asked)
	if err != nil || !answer.Allow {
		return false
	}
	owner.mu.Lock()
	defer owner.mu.Unlock()
	owner.more++
	return true
}

// budgetRequest is what the person is asked when a budget is spent.
type budgetRequest struct {
	approval.Call
	approval.About
}

// askForMore says what the notebook's budget says now, and how to ask for more.
func (d *doc) askForMore() (cost.Decision, budgetRequest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.nb == nil {
		return cost.Decision{}, budgetRequest{}
	}
	limit, meta := cost.FromDollars(d.budget()), d.nb.Meta()
	granted := limit
	for range d.more {
		granted = granted.Add(limit)
	}
	decision := d.decide(granted)
	return decision, budgetRequest{approval.Call{
		Tool: budgetTool, Notebook: meta.UUID, Workspace: d.w.folder,
		Arguments: fmt.Sprintf(`{"spent":%q,"budget":%q,"more":%q}`, d.spentInTree().Text(), granted, limit),
	}, approval.About{
		Action: fmt.Sprintf("going on past the budget of %s", granted), Why: decision.Text, Agent: meta.Name,
	}}
}

// decide is what a budget of that limit says now. Under d.mu.
func (d *doc) decide(limit cost.Money) cost.Decision {
	return cost.Budget{Limit: limit, Tree: d.w.below(d.path()) != (cost.Total{})}.Decide(d.spentInTree(), cost.Total{})
}

// spentInTree is what the notebook cost so far, with the agents that stem from
// its own. Under d.mu.
func (d *doc) spentInTree() cost.Total {
	return d.total.Add(d.underWay()).Add(d.w.below(d.path()))
}

// openAncestors lists the notebooks that one stems from and that are open,
// nearest first: one that runs or waits for its children is.
func (w *Workspace) openAncestors(path string) []*doc {
	w.mu.Lock()
	defer w.mu.Unlock()
	byUUID := make(map[string]*agenttree.Node, len(w.nodes))
	at := (*agenttree.Node)(nil)
	for i := range w.nodes {
		n := &w.nodes[i]
		byUUID[n.UUID] = n
		if n.File == path {
			at = n
		}
	}
	var docs []*doc
	for at != nil && at.ParentID != "" { // the tree has no circles
		if at = byUUID[at.ParentID]; at != nil && w.docs[at.File] != nil {
			docs = append(docs, w.docs[at.File])
		}
	}
	return docs
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
