package workspace

import (
	"cmp"
	"context"
	"slices"

	"mutsumi/backend/access"
	"mutsumi/backend/agent"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/approval"
	"mutsumi/backend/attention"
	"mutsumi/backend/coedit"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// approvals are the calls that wait for the person, and the rules that decide
// about calls.
type approvals struct {
	*notebooks
	access    *access.Access
	settings  *settings.Store
	kept      *agentfiles.Store
	commands  *commands
	out       *event.Outbox
	attention *attention.Announcer

	policy *approval.Policy
	inbox  *approval.Inbox
	grants *access.Grants
}

// begin makes the policy and the inbox, with the rules that the person made before.
func (a *approvals) begin(trusted func() bool, rights *settings.Rights) error {
	a.policy = approval.NewPolicy()
	a.policy.CountGrants(trusted)
	a.grants = access.NewGrants(a.policy, rights, func(uuid string) (string, bool) {
		path, err := a.registry.ByUUID(uuid)
		return path, err == nil
	}, func(uuid string) { a.out.Emit(event.GrantsChanged{Notebook: uuid}) })
	always, err := a.settings.Approvals()
	if err != nil {
		return err
	}
	if err := a.policy.Load(approval.Always, "", always); err != nil {
		return err
	}
	a.policy.OnChange(a.keepRules)
	a.inbox = approval.NewInbox(a.policy, a.inboxChanged)
	return nil
}

// inboxChanged tells of a request that came or went, the tree first: whoever
// hears of a request finds its agent marked.
func (a *approvals) inboxChanged(c approval.Change) {
	waiting := map[string]bool{}
	for _, r := range a.inbox.Pending() {
		waiting[r.Path] = waiting[r.Path] || r.Held == ""
	}
	a.registry.SetNeedsYou(waiting)
	e := event.ApprovalsChanged{Removed: c.Removed, Added: []approval.Request{}}
	if c.Added != nil {
		e.Added = append(e.Added, *c.Added)
	}
	a.out.Emit(e)
	a.attention.Changed()
}

// waitsFor reports whether a request of the notebook waits for the person.
func (a *approvals) waitsFor(path string) bool {
	return slices.ContainsFunc(a.inbox.Pending(), func(r approval.Request) bool { return r.Path == path && r.Held == "" })
}

// keepRules saves the rules of a scope after they changed.
func (a *approvals) keepRules(scope approval.Scope, uuid string) {
	a.out.Emit(event.GrantsChanged{Notebook: uuid})
	switch scope {
	case approval.Always:
		if err := a.settings.KeepApprovals(a.policy.Save(scope, "")); err != nil {
			a.out.Emit(event.NotebookSaved{AtMs: nowMs(), Fault: fault.Of(err)})
		}
	case approval.Notebook:
		if path, err := a.grants.Keep(uuid); err != nil {
			a.out.Emit(event.NotebookSaved{Path: path, AtMs: nowMs(), Fault: fault.Of(err)})
		}
	}
}

// Approvals lists what waits for a decision.
func (a *approvals) Approvals() ([]approval.Request, error) { return a.inbox.Pending(), nil }

// ResolveApproval decides a request.
func (a *approvals) ResolveApproval(id string, d approval.Decision) error {
	return a.inbox.Resolve(id, d)
}

// ApprovalRules lists what is granted and denied: in one notebook, or "" for all.
func (a *approvals) ApprovalRules(path string) ([]approval.Rule, error) {
	if path == "" {
		return a.policy.Rules(), nil
	}
	meta, err := a.meta(path)
	if err != nil {
		return nil, err
	}
	return a.policy.For(meta.UUID), nil
}

// Simulate says what would happen to a command in a notebook, part by part.
func (a *approvals) Simulate(path, command string) (approval.Verdict, error) {
	meta, err := a.meta(path)
	if err != nil {
		return approval.Verdict{}, err
	}
	scratch, err := a.kept.Scratch(meta.UUID)
	if err != nil {
		return approval.Verdict{}, err
	}
	roots, _, err := a.access.Roots(accessOf(path, meta), slices.DeleteFunc([]string{scratch}, func(s string) bool { return s == "" })...)
	if err != nil {
		return approval.Verdict{}, err
	}
	where := approval.Call{Notebook: meta.UUID, Workspace: roots.Workspace(), Roots: roots.Places(), Scratch: scratch, Shell: builtin.ShellName()}
	where.Private, where.Exposed = a.settings.Private(), a.commands.exposed()
	return approval.Simulate(a.policy, "shell", command, "", where), nil
}

// AddApprovalRule adds a grant or a denial, for the notebook at path unless it
// is for always; what waits is looked at again. A copy gets a uuid of its own
// first, so that what is for it is not for the notebook that it is a copy of.
func (a *approvals) AddApprovalRule(path string, r approval.Rule) error {
	if r.Scope == approval.Notebook || r.Scope == approval.Agent {
		if err := a.registry.Own(path); err != nil {
			return err
		}
		meta, err := a.meta(path)
		if err != nil {
			return err
		}
		r.Notebook = meta.UUID
	}
	if _, err := a.policy.Add(r); err != nil {
		return err
	}
	a.inbox.Recheck()
	return nil
}

// RevokeApprovalRule takes a grant or a denial back.
func (a *approvals) RevokeApprovalRule(id string) error {
	if !a.policy.Revoke(id) {
		return fault.New(fault.NotFound, "this rule is not there any more")
	}
	return nil
}

// approver asks the person, or the rules made earlier, about one notebook's agent.
type approver struct {
	w       *Workspace
	at      *doc
	cell    string
	meta    notebook.MetaView
	roots   *files.Roots
	scratch string
	tools   *tool.Registry // for arguments that the person edits; nil: none can be
}

// Approve implements agent.Approver. Nobody is asked about a call that would
// change nothing. An agent that had to wait has its slot again when it returns.
// Where another agent wrote the same file before it got one, what would change
// is not what the person saw, or such calls were forbidden, it is asked about
// once more.
func (a approver) Approve(ctx context.Context, ask agent.Ask) (agent.Decision, error) {
	var before agent.Decision // what the person changed the last time
	var renewed *approval.Renewed
	idle := true // it may be one that changes nothing
	for {
		if idle && a.w.policy.Check(a.call(ask)).Outcome != approval.Deny {
			if res, idle := tool.Idle(ctx, tool.Env{CallID: ask.CallID, Scratch: a.scratch}, ask.Call); idle {
				return agent.Decision{Result: &res}, ctx.Err()
			}
		}
		d, err := a.ask(ctx, ask, renewed)
		decided := nowMs()
		if idle = err == nil && d.SentBack(); idle {
			continue
		}
		decision := agent.Decision{Allow: d.Allow, Reason: d.Reason, Arguments: cmp.Or(d.Arguments, before.Arguments), Told: cmp.Or(d.Told(), before.Told)}
		if err != nil || !d.Allow || ask.Call.Tool.Name() == fork.Tool { // which leaves its slot at once
			return decision, err
		}
		work, run := a.w.atWork(a.at.Path())
		waited := run != nil && work.reacquireSlot(ctx, run)
		if ctx.Err() != nil {
			return decision, ctx.Err()
		}
		if d.Arguments != "" && a.tools != nil {
			if call, err := a.tools.Prepare(ask.Call.Tool.Name(), d.Arguments); err == nil {
				ask.Call, before = call, decision
			}
		}
		if decision.Approved, renewed = a.w.coedits.AsApproved(ctx, a.change(ask), d, decided); renewed != nil {
			idle = decision.Approved == nil // it may not fit any more
			continue
		}
		if !waited || a.stands(ask, decided) {
			return decision, nil
		}
	}
}

// stands reports whether a call still may go ahead that was allowed at a time.
func (a approver) stands(ask agent.Ask, allowedMs int64) bool {
	call := a.call(ask)
	wrote := func(h approval.WriteConflict) bool { return h.AtMs >= allowedMs }
	return a.w.policy.Check(call).Outcome != approval.Deny && !slices.ContainsFunc(a.w.coedits.Conflicts(a.at.Path(), call), wrote)
}

// ask asks about a call, which waits in the inbox until somebody decides.
// Renewed is why it is asked about once more, nil the first time.
func (a approver) ask(ctx context.Context, ask agent.Ask, renewed *approval.Renewed) (approval.Decision, error) {
	shown := a.w.coedits.Show(ctx, a.change(ask), renewed, func(ctx context.Context, s *coedit.Shown) approval.Request {
		return a.request(ctx, ask, coedit.ShownLines, s)
	})
	defer shown.Close()
	r := shown.Request()
	defer a.w.coedits.Follow(shown)()
	d, err := a.w.inbox.Ask(ctx, r)
	if d.Allow && d.Scope != approval.Once {
		a.w.coedits.Waive(r.Notebook, append(r.Conflicts, a.w.coedits.Conflicts(a.at.Path(), a.call(ask))...))
	}
	return d, err
}

// request is what the person sees of a call, with so many lines of each change
// at most; shown is the request that they see, nil for one that they only look at.
func (a approver) request(ctx context.Context, ask agent.Ask, lines int, shown *coedit.Shown) approval.Request {
	name := ask.Call.Tool.Name()
	call := a.call(ask)
	about := approval.About{
		Action: ask.Call.Action, Why: ask.Why, Path: a.at.Path(), Agent: a.meta.Name, Cell: a.cell, CallID: ask.CallID,
		Schema: ask.Call.Tool.Schema(), Conflicts: a.w.coedits.Conflicts(a.at.Path(), call),
	}
	if name == fork.Tool {
		about.Allowed = a.meta.Allowed
	}
	about.Changes, about.Print, about.Fails = coedit.Preview(ctx, ask.Call, lines)
	if shown != nil {
		about.Renewed, about.Look = shown.Renewed(), shown.Look
		about.Waits = func() {
			a.w.releaseSlot(a.at.Path())
			a.w.showWait(a.at.Path(), ask)
			shown.Start(about.Changes)
		}
	}
	if about.Print != "" {
		about.Prints = func(arguments string) (string, error) { return coedit.Print(ctx, ask.Call, a.tools, arguments) }
	}
	if a.tools != nil {
		about.Sound = func(arguments string) error {
			_, err := a.tools.Prepare(name, arguments)
			return err
		}
		about.Again = func(arguments string) (approval.Request, error) {
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

// call is a call as the policy sees it.
func (a approver) call(ask agent.Ask) approval.Call {
	return approval.Call{
		Tool: ask.Call.Tool.Name(), Arguments: string(ask.Call.Args), Notebook: a.meta.UUID,
		Workspace: a.roots.Workspace(), Roots: a.roots.Places(), Scratch: a.scratch, Shell: builtin.ShellName(),
		Private: a.w.settings.Private(), Exposed: a.w.exposed(),
	}
}

// change is a call as package coedit sees it.
func (a approver) change(ask agent.Ask) coedit.Change {
	return coedit.Change{Notebook: a.meta.UUID, CallID: ask.CallID, Folder: a.roots.Workspace(), Call: ask.Call}
}

// everything is the approver of the command line's --approve all.
type everything struct{}

// Approve implements agent.Approver.
func (everything) Approve(context.Context, agent.Ask) (agent.Decision, error) {
	return agent.Decision{Allow: true}, nil
}

// PreviewApproval gives a request as it would be with other arguments, "" for
// its own, with all lines of its changes; it decides nothing.
func (a *approvals) PreviewApproval(id, arguments string) (approval.Request, error) {
	return a.inbox.Preview(id, arguments)
}
