package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/coedit"
	"mutsumi/backend/files"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// approver decides about the calls of one notebook's agent, by the rules that exist
// or by asking the person.
type approver struct {
	runner  *Runner
	coedits *coedit.Tracker
	at      *doc
	cell    string
	meta    notebook.MetaView
	roots   *files.Roots
	scratch string
	tools   *tool.Registry // checks arguments that the person edits; nil: they cannot
	fixed   string         // why they cannot, and a change is approved whole; "": nothing prevents it
}

// Approve implements agent.Approver. It does not ask about a call that would change nothing. A run
// that had to wait has its slot again when Approve returns. It asks the person again if, in the
// meantime, another agent wrote the same file, the change is no longer the one they saw, or a new
// rule denies such calls.
func (a approver) Approve(ctx context.Context, ask agent.Ask) (agent.Decision, error) {
	var before agent.Decision // the last decision in which the person changed the arguments
	var renewed *approval.Renewed
	idle := true // whether to check if the call changes nothing
	for {
		if idle && a.runner.with.Approvals.Policy().Check(a.call(ask)).Outcome != approval.Deny {
			if res, idle := tool.Idle(ctx, tool.Env{CallID: ask.CallID, Scratch: a.scratch}, ask.Call); idle {
				return agent.Decision{Result: &res}, ctx.Err()
			}
		}
		d, err := a.ask(ctx, ask, renewed)
		decided := nowMs()
		if idle = err == nil && d.SentBack(); idle {
			continue
		}
		decision := agent.Decision{Allow: d.Allow, Reason: d.Reason, Arguments: cmp.Or(d.Arguments, before.Arguments), Note: cmp.Or(d.Note(), before.Note)}
		if err != nil || !d.Allow || ask.Call.Tool.Name() == fork.Tool { // a fork would release its slot at once
			return decision, err
		}
		work, run := a.runner.atWork(a.at.Path())
		waited := run != nil && work.reacquireSlot(ctx, run)
		if ctx.Err() != nil {
			return decision, ctx.Err()
		}
		if d.Arguments != "" && a.tools != nil {
			if call, err := a.tools.Prepare(ask.Call.Tool.Name(), d.Arguments); err == nil {
				ask.Call, before = call, decision
			}
		}
		if decision.Approved, renewed = a.coedits.AsApproved(ctx, a.change(ask), d, decided); renewed != nil {
			idle = decision.Approved == nil // the edit may no longer apply
			continue
		}
		if a.stands(ask, d, waited, decided) {
			return decision, nil
		}
	}
}

// stands reports whether a call that was allowed at a given time may still run: no other agent wrote
// its files without being shown to the person, and, after a wait for a slot, no rule denies it. The
// person saw what an edit with a fingerprint makes of its files, so only writes during such a wait
// count.
func (a approver) stands(ask agent.Ask, d approval.Decision, waited bool, allowedMs int64) bool {
	call := a.call(ask)
	if waited && a.runner.with.Approvals.Policy().Check(call).Outcome == approval.Deny {
		return false
	}
	if d.Fingerprint() == "" {
		return !a.coedits.Unseen(a.at.Path(), call, d.Conflicts())
	}
	wrote := func(h approval.WriteConflict) bool { return h.AtMs >= allowedMs }
	return !waited || !slices.ContainsFunc(a.coedits.Conflicts(a.at.Path(), call), wrote)
}

// ask puts a call into the inbox and waits for the decision. renewed is why the person is asked
// again; nil the first time.
func (a approver) ask(ctx context.Context, ask agent.Ask, renewed *approval.Renewed) (approval.Decision, error) {
	shown := a.coedits.Show(ctx, a.change(ask), renewed, func(ctx context.Context, s *coedit.Shown) approval.Request {
		return a.request(ctx, ask, coedit.ShownLines, s)
	})
	defer shown.Close()
	r := shown.Request()
	defer a.coedits.Follow(shown)()
	d, err := a.runner.with.Approvals.Inbox().Ask(ctx, r)
	if d.Allow && d.Scope != approval.Once {
		a.coedits.Waive(r.Notebook, d.Conflicts())
	}
	return d, err
}

// request builds what the person sees of a call, with at most lines lines of each
// change. shown follows its files while it waits; nil for a preview.
func (a approver) request(ctx context.Context, ask agent.Ask, lines int, shown *coedit.Shown) approval.Request {
	name := ask.Call.Tool.Name()
	call := a.call(ask)
	about := approval.About{
		Action: ask.Call.Action, Why: ask.Why, Path: a.at.Path(), Agent: a.meta.Name, Cell: a.cell, CallID: ask.CallID,
		Schema: ask.Call.Tool.Schema(), Conflicts: a.coedits.Conflicts(a.at.Path(), call),
	}
	if name == fork.Tool {
		about.Allowed = a.meta.Allowed
	}
	about.Changes, about.Fingerprint, about.Fails = coedit.Preview(ctx, ask.Call, lines)
	if shown != nil {
		about.Renewed, about.Refresh = shown.Renewed(), shown.Refresh
		about.OnWait = func() {
			a.runner.releaseSlot(a.at.Path())
			a.runner.traceApproval(a.at.Path(), ask)
			shown.Start(about.Changes)
		}
	}
	if about.Fingerprint != "" {
		about.FingerprintOf = func(arguments string) (string, error) { return coedit.Fingerprint(ctx, ask.Call, a.tools, arguments) }
	}
	if a.fixed != "" {
		about.Check = func(string) error { return errors.New(a.fixed) }
		about.Without = func(string, []string) (string, string, error) { return "", "", errors.New(a.fixed) }
	}
	if a.tools != nil {
		about.Check = func(arguments string) error {
			_, err := a.tools.Prepare(name, arguments)
			return err
		}
		about.Preview = func(arguments string) (approval.Request, error) {
			call, err := a.tools.Prepare(name, arguments)
			if err != nil {
				return approval.Request{}, err
			}
			return a.request(ctx, agent.Ask{CallID: ask.CallID, Call: call, Why: ask.Why}, coedit.AllLines, nil), nil
		}
		about.Without = func(arguments string, hunks []string) (string, string, error) {
			return coedit.Without(ctx, a.tools, name, arguments, hunks)
		}
	}
	return approval.NewRequest(call, about)
}

// call describes a call for the policy.
func (a approver) call(ask agent.Ask) approval.Call {
	return approval.Call{
		Tool: ask.Call.Tool.Name(), Arguments: string(ask.Call.Args), Notebook: a.meta.UUID,
		Workspace: a.roots.Workspace(), Roots: a.roots.Places(), Scratch: a.scratch, Shell: builtin.ShellName(),
		Private: a.runner.with.Settings.Private(), Exposed: a.runner.with.Commands.Exposed(),
	}
}

// change describes a call for package coedit.
func (a approver) change(ask agent.Ask) coedit.Change {
	return coedit.Change{Notebook: a.meta.UUID, CallID: ask.CallID, Folder: a.roots.Workspace(), Call: ask.Call}
}

// everything allows every call: the command line's --approve all.
type everything struct{}

// Approve implements agent.Approver.
func (everything) Approve(context.Context, agent.Ask) (agent.Decision, error) {
	return agent.Decision{Allow: true}, nil
}
