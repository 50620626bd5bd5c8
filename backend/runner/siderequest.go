package runner

import (
	"context"
	"strings"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
	"mutsumi/backend/settings"
)

// SideRequest is a request that the program itself makes for a notebook, apart from the runs of its
// agent: for a title or a summary.
type SideRequest struct {
	Endpoint  settings.Endpoint
	Task      string // the system message
	Text      string // the user's message
	MaxTokens int    // of the answer; 0: the provider's default
	MaxBytes  int    // an answer that exceeds it ends early; 0: no limit
}

// Ask sends a side request for the notebook at path. It returns the text of the answer and the
// usage, which counts for the notebook even on an error. It waits while the agents are paused. The
// error is Canceled if a budget is spent, or an error of the request or of ctx.
func (rn *Runner) Ask(ctx context.Context, path string, a SideRequest) (text string, used notebook.ModelUsage, err error) {
	if rn.with.Connect == nil {
		return "", used, fault.New(fault.Invalid, "there is no model to ask")
	}
	d, err := rn.doc(path)
	if err != nil {
		return "", used, err
	}
	if err := rn.pause.wait(ctx, func(string) {}); err != nil {
		return "", used, err
	}
	if d.isOverBudget() {
		return "", used, fault.New(fault.Canceled, "the budget is spent: raise it to continue")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := provider.Request{Model: a.Endpoint.Model.ID, MaxTokens: a.MaxTokens}
	var said strings.Builder
	tooLong := false
	result := agent.Run(ctx, agent.Config{
		Model: rn.records.of(d.UUID(), "", rn.with.Connect(a.Endpoint).Model), Request: request, StepLimit: 1,
		Messages: []chat.Message{{Role: chat.System, Content: chat.Text(a.Task)}, {Role: chat.User, Content: chat.Text(a.Text)}},
		Tokens:   rn.with.Counters.For(a.Endpoint.Model.ID),
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

// charge adds the usage of a side request to the notebook.
func (d *doc) charge(used notebook.ModelUsage) {
	d.runner.open(d.Path(), func(tx *Tx, _ *notebook.Document) error {
		tx.AddUsage(used)
		tx.Changed(notebook.Change{Cells: []notebook.CellView{}}, "")
		return nil
	})
}
