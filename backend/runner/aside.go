package runner

import (
	"context"
	"strings"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/cost"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
	"mutsumi/backend/settings"
)

// Aside is a request of the program itself for a notebook, beside the work of its
// agent: for a title, or for a summary.
type Aside struct {
	Endpoint  settings.Endpoint
	Task      string // the system message
	Text      string // the user's message
	MaxTokens int    // of the answer; 0: what the settings say
	MaxBytes  int    // more than that of an answer ends it; 0: no bound
}

// Ask makes a request of the program and gives the text of the answer, and what it
// used. It waits while the agents are paused. What it used counts for the notebook,
// also when it fails. Errors: Canceled when a budget is spent; those of the request; of ctx.
func (r *Runner) Ask(ctx context.Context, path string, a Aside) (text string, used notebook.ModelUsage, err error) {
	if r.with.Connect == nil {
		return "", used, fault.New(fault.Invalid, "there is no model to ask")
	}
	d, err := r.doc(path)
	if err != nil {
		return "", used, err
	}
	if err := r.pause.wait(ctx, func(string) {}); err != nil {
		return "", used, err
	}
	for _, owner := range d.budgetOwners() {
		if decision, _ := owner.budgetDecision(); decision.Verdict == cost.Ask {
			return "", used, fault.New(fault.Canceled, "the budget is spent: raise it to go on")
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := provider.Request{Model: a.Endpoint.Model.ID, MaxTokens: a.MaxTokens}
	var said strings.Builder
	tooLong := false
	result := agent.Run(ctx, agent.Config{
		Model: r.with.Connect(a.Endpoint).Model, Request: request, StepLimit: 1,
		Messages: []chat.Message{{Role: chat.System, Content: chat.Text(a.Task)}, {Role: chat.User, Content: chat.Text(a.Text)}},
		Tokens:   r.with.Counters.For(a.Endpoint.Model.ID),
	}, func(u agent.Update) {
		delta, ok := u.(agent.Delta)
		if !ok || tooLong {
			return
		}
		said.WriteString(delta.Text)
		if tooLong = a.MaxBytes > 0 && said.Len() > a.MaxBytes; tooLong {
			cancel()
		}
	})
	if result.Usage != (chat.Usage{}) {
		used = notebook.ModelUsage{Model: a.Endpoint.Model.ID, Requests: max(1, result.Steps+result.Retries), Usage: result.Usage}
		d.charge(used)
	}
	switch {
	case tooLong, result.Outcome == agent.Done:
		return said.String(), used, nil
	case result.Fault != nil:
		return "", used, result.Fault
	}
	return "", used, context.Cause(ctx)
}

// charge counts what requests used that stand in no answer.
func (d *doc) charge(used notebook.ModelUsage) {
	d.runner.open(d.Path(), func(tx *Tx, _ *notebook.Document) error {
		tx.AddUsage(used)
		tx.Changed(notebook.Change{Cells: []notebook.CellView{}}, "")
		return nil
	})
}
