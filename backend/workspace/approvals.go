package workspace

import (
	"cmp"
	"context"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// openApprovals makes the policy and the inbox of a workspace.
func (w *Workspace) openApprovals() error {
	w.policy = approval.NewPolicy()
	w.policy.CountGrants(w.trusted)
	always, err := w.settings.Approvals()
	if err != nil {
		return err
	}
	if err := w.policy.Load(approval.Always, "", always); err != nil {
		return err
	}
	w.policy.OnChange(w.keepRules)
	w.inbox = approval.NewInbox(w.policy, w.inboxChanged)
	return nil
}

// inboxChanged tells of a request that came or went, the tree first: whoever
// hears of a request finds its agent marked.
func (w *Workspace) inboxChanged(c approval.Change) {
	waiting := map[string]bool{}
	for _, r := range w.inbox.Pending() {
		waiting[r.Path] = waiting[r.Path] || r.Held == ""
	}
	w.mu.Lock()
	changed := false
	for path, l := range w.live {
		if l.NeedsYou != waiting[path] {
			l.NeedsYou = waiting[path]
			w.live[path] = l
			changed = true
		}
	}
	if changed {
		w.tellTree()
	}
	w.mu.Unlock()
	e := event.ApprovalsChanged{Removed: c.Removed, Added: []approval.Request{}}
	if c.Added != nil {
		e.Added = append(e.Added, *c.Added)
	}
	w.out.Emit(e)
	w.attention.soon()
}

// waitsFor reports whether a request of the notebook waits for the person.
func (w *Workspace) waitsFor(path string) bool {
	return slices.ContainsFunc(w.inbox.Pending(), func(r approval.Request) bool { return r.Path == path && r.Held == "" })
}

// keepRules saves the rules of a scope after they changed.
func (w *Workspace) keepRules(scope approval.Scope, uuid string) {
	w.out.Emit(event.GrantsChanged{Notebook: uuid})
	switch scope {
	case approval.Always:
		if err := w.settings.KeepApprovals(w.policy.Save(scope, "")); err != nil {
			w.out.Emit(event.NotebookSaved{AtMs: nowMs(), Fault: fault.Of(err)})
		}
	case approval.Notebook:
		path, err := w.byUUID(uuid)
		if err != nil {
			return // the notebook is gone, and what was granted to it
		}
		if err := w.rights.KeepGrants(settings.Agent{File: path, UUID: uuid}, w.policy.Save(scope, uuid)); err != nil {
			w.out.Emit(event.NotebookSaved{Path: path, AtMs: nowMs(), Fault: fault.Of(err)})
		}
	}
}

// Approvals lists what waits for a decision.
func (w *Workspace) Approvals() ([]approval.Request, error) { return w.inbox.Pending(), nil }

// ResolveApproval decides a request.
func (w *Workspace) ResolveApproval(id string, d approval.Decision) error {
	return w.inbox.Resolve(id, d)
}

// ApprovalRules lists what is granted and denied: in one notebook, or "" for all.
func (w *Workspace) ApprovalRules(path string) ([]approval.Rule, error) {
	if path == "" {
		return w.policy.Rules(), nil
	}
	meta, err := w.meta(path)
	if err != nil {
		return nil, err
	}
	return w.policy.For(meta.UUID), nil
}

// Simulate says what would happen to a command in a notebook, part by part.
func (w *Workspace) Simulate(path, command string) (approval.Verdict, error) {
	meta, err := w.meta(path)
	if err != nil {
		return approval.Verdict{}, err
	}
	scratch, err := w.scratchFolder(meta.UUID)
	if err != nil {
		return approval.Verdict{}, err
	}
	roots, err := w.rootsOf(path, &meta, slices.DeleteFunc([]string{scratch}, isEmpty)...)
	if err != nil {
		return approval.Verdict{}, err
	}
	where := approval.Call{Notebook: meta.UUID, Workspace: roots.Workspace(), Roots: roots.Places(), Scratch: scratch, Shell: builtin.ShellName()}
	return approval.Simulate(w.policy, "shell", command, "", where), nil
}

// AddApprovalRule adds a grant or a denial; what waits is looked at again.
func (w *Workspace) AddApprovalRule(r approval.Rule) error {
	if _, err := w.policy.Add(r); err != nil {
		return err
	}
	w.inbox.Recheck()
	return nil
}

// RevokeApprovalRule takes a grant or a denial back.
func (w *Workspace) RevokeApprovalRule(id string) error {
	if !w.policy.Revoke(id) {
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

// Approve implements agent.Approver. An agent that had to wait has its seat
// again when it returns. Where another agent wrote the same file before it got
// one, or such calls were forbidden, it is asked about once more.
func (a approver) Approve(ctx context.Context, ask agent.Ask) (agent.Decision, error) {
	var before agent.Decision // what the person changed the last time
	for {
		d, err := a.ask(ctx, ask)
		decided := nowMs()
		decision := agent.Decision{Allow: d.Allow, Reason: d.Reason, Arguments: cmp.Or(d.Arguments, before.Arguments), Told: cmp.Or(d.Told(), before.Told)}
		if err != nil || !d.Allow || ask.Call.Tool.Name() == forkTool { // which leaves its seat at once
			return decision, err
		}
		work, run := a.w.atWork(a.at.path())
		if run == nil || !work.seatAgain(ctx, run) || ctx.Err() != nil {
			return decision, ctx.Err()
		}
		if d.Arguments != "" && a.tools != nil {
			if call, err := a.tools.Prepare(ask.Call.Tool.Name(), d.Arguments); err == nil {
				ask.Call, before = call, decision
			}
		}
		if a.stands(ask, decided) {
			return decision, nil
		}
	}
}

// stands reports whether a call still may go ahead that was allowed at a time.
func (a approver) stands(ask agent.Ask, allowedMs int64) bool {
	call := a.call(ask)
	wrote := func(h approval.Hand) bool { return h.AtMs >= allowedMs }
	return a.w.policy.Check(call).Outcome != approval.Deny && !slices.ContainsFunc(a.w.handsOn(a.at.path(), call), wrote)
}

// ask asks about a call, which waits in the inbox until somebody decides.
func (a approver) ask(ctx context.Context, ask agent.Ask) (approval.Decision, error) {
	r := a.request(ctx, ask, shownLines)
	if len(r.Hands) > 0 {
		defer a.w.hands.follow(r.Notebook, r.CallID, func() approval.Request { return a.request(ctx, ask, shownLines) })()
	}
	d, err := a.w.inbox.Ask(ctx, r)
	if d.Allow && d.Scope != approval.Once {
		a.w.hands.waive(r.Notebook, append(r.Hands, a.w.handsOn(a.at.path(), a.call(ask))...))
	}
	return d, err
}

// request is what the person sees of a call, with so many lines of each change at most.
func (a approver) request(ctx context.Context, ask agent.Ask, lines int) approval.Request {
	name := ask.Call.Tool.Name()
	call := a.call(ask)
	about := approval.About{
		Action: ask.Call.Action, Why: ask.Why, Path: a.at.path(), Agent: a.meta.Name, Cell: a.cell, CallID: ask.CallID,
		Waits: func() {
			a.w.leaveSeat(a.at.path())
			a.w.showWait(a.at.path(), ask)
		},
		Hands: a.w.handsOn(a.at.path(), call),
	}
	if name == forkTool {
		about.Allowed = a.meta.Allowed
	}
	about.Changes, about.Fails = changesOf(ctx, ask.Call, lines)
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
			return a.request(ctx, agent.Ask{CallID: ask.CallID, Call: call, Why: ask.Why}, allLines), nil
		}
		about.Without = func(arguments string, hunks []string) (string, string, error) {
			return withoutHunks(ctx, a.tools, name, arguments, hunks)
		}
	}
	return approval.NewRequest(call, about)
}

// call is a call as the policy sees it.
func (a approver) call(ask agent.Ask) approval.Call {
	return approval.Call{
		Tool: ask.Call.Tool.Name(), Arguments: string(ask.Call.Args), Notebook: a.meta.UUID,
		Workspace: a.roots.Workspace(), Roots: a.roots.Places(), Scratch: a.scratch, Shell: builtin.ShellName(),
	}
}

// everything is the approver of the command line's --approve all.
type everything struct{}

// Approve implements agent.Approver.
func (everything) Approve(context.Context, agent.Ask) (agent.Decision, error) {
	return agent.Decision{Allow: true}, nil
}

// PreviewApproval gives a request as it would be with other arguments, "" for
// its own, with all lines of its changes; it decides nothing.
func (w *Workspace) PreviewApproval(id, arguments string) (approval.Request, error) {
	return w.inbox.Preview(id, arguments)
}
