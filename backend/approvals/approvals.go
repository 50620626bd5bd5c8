// Package approvals holds the requests of a folder's agents that wait for the person,
// and the rules that the person made about calls. Package approval decides by the
// rules; package runner asks.
package approvals

import (
	"slices"

	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/approval"
	"mutsumi/backend/attention"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
)

// Options configure the Approvals of a folder.
type Options struct {
	Registry  *documents.Registry
	Access    *access.Access
	Trusted   func() bool // whether grants of notebooks count
	Rights    *settings.Rights
	Settings  *settings.Store
	Kept      *agentfiles.Store
	Commands  *commands.Commands
	Outbox    *event.Outbox
	Attention *attention.Announcer
	Granted   func(tool string) error // called with the tool that a rule allows, before the rule applies; may be nil
}

// Approvals connects the inbox and the policy of a folder with its settings,
// notebooks and events. It is safe for concurrent use.
type Approvals struct {
	with   Options
	policy *approval.Policy
	inbox  *approval.Inbox
	grants *access.Grants
	always *settings.Approvals // the stored rules for always
}

// Policy returns the rules that decide about calls.
func (a *Approvals) Policy() *approval.Policy { return a.policy }

// Inbox returns the requests that wait for the person.
func (a *Approvals) Inbox() *approval.Inbox { return a.inbox }

// Grants returns the store of the rules for single agents.
func (a *Approvals) Grants() *access.Grants { return a.grants }

// New returns the Approvals of a folder, with the rules from the settings loaded.
func New(o Options) (*Approvals, error) {
	a := &Approvals{with: o, policy: approval.NewPolicy(), always: o.Settings.Approvals()}
	a.policy.CountGrants(o.Trusted)
	a.policy.Follow(a.readAlways)
	a.grants = access.NewGrants(a.policy, o.Rights, func(uuid string) (string, bool) {
		path, err := a.with.Registry.ByUUID(uuid)
		return path, err == nil
	}, func(uuid string) { a.with.Outbox.Emit(event.GrantsChanged{Notebook: uuid}) })
	if err := a.loadAlways(); err != nil {
		return nil, err
	}
	a.policy.OnChange(a.keepRules)
	a.inbox = approval.NewInbox(a.policy, a.inboxChanged)
	return a, nil
}

// Calls lets the interface list and decide requests, and edit rules. Package workspace embeds it.
type Calls struct{ approvals *Approvals }

// Calls returns the calls of the interface.
func (a *Approvals) Calls() *Calls { return &Calls{a} }

// inboxChanged publishes a request that came or went. It updates the tree first, so
// that a reader of the event finds the agent marked.
func (a *Approvals) inboxChanged(c approval.Change) {
	waiting := map[string]bool{}
	for _, r := range a.inbox.Pending() {
		waiting[r.Path] = waiting[r.Path] || r.Held == ""
	}
	a.with.Registry.SetNeedsYou(waiting)
	e := event.ApprovalsChanged{Removed: c.Removed, Added: []approval.Request{}}
	if c.Added != nil {
		e.Added = append(e.Added, *c.Added)
	}
	a.with.Outbox.Emit(e)
	a.with.Attention.Changed()
}

// WaitsFor reports whether the agent of the notebook at path waits for the person.
func (a *Approvals) WaitsFor(path string) bool {
	return slices.ContainsFunc(a.inbox.Pending(), func(r approval.Request) bool { return r.Path == path && r.Held == "" })
}

// keepRules saves the rules of a scope after a change; uuid is the notebook's, for the scopes of
// one notebook.
func (a *Approvals) keepRules(scope approval.Scope, uuid string) {
	a.with.Outbox.Emit(event.GrantsChanged{Notebook: uuid})
	switch scope {
	case approval.Always:
		a.keepAlways()
	case approval.Notebook:
		path, err := a.grants.Keep(uuid)
		a.report(path, err)
	}
}

// Approvals lists what waits for a decision.
func (c *Calls) Approvals() ([]approval.Request, error) { return c.approvals.inbox.Pending(), nil }

// ResolveApproval decides a request.
func (c *Calls) ResolveApproval(id string, d approval.Decision) error {
	return c.approvals.inbox.Resolve(id, d)
}

// ApprovalRules lists the rules that apply in one notebook; path "" lists all rules.
func (c *Calls) ApprovalRules(path string) ([]approval.Rule, error) {
	if path == "" {
		c.approvals.readAlways()
		return c.approvals.policy.Rules(), nil
	}
	meta, err := c.approvals.with.Registry.AgentAt(path)
	if err != nil {
		return nil, err
	}
	return c.approvals.policy.For(meta.UUID), nil
}

// Simulate returns how the rules would judge a shell command in a notebook, part by part.
func (c *Calls) Simulate(path, command string) (approval.Verdict, error) {
	meta, err := c.approvals.with.Registry.AgentAt(path)
	if err != nil {
		return approval.Verdict{}, err
	}
	scratch, err := c.approvals.with.Kept.Scratch(meta.UUID)
	if err != nil {
		return approval.Verdict{}, err
	}
	roots, _, err := c.approvals.with.Access.Roots(documents.Holder(path, meta), slices.DeleteFunc([]string{scratch}, func(s string) bool { return s == "" })...)
	if err != nil {
		return approval.Verdict{}, err
	}
	where := approval.Call{Notebook: meta.UUID, Workspace: roots.Workspace(), Roots: roots.Places(), Scratch: scratch, Shell: builtin.ShellName()}
	where.Private, where.Exposed = c.approvals.with.Settings.Private(), c.approvals.with.Commands.Exposed()
	return approval.Simulate(c.approvals.policy, "shell", command, "", where), nil
}

// AddApprovalRule adds a grant or a denial, for the notebook at path unless its scope
// is always, and decides waiting requests by it. A copied notebook gets a uuid of its
// own first, so that the rule does not apply to the original.
func (c *Calls) AddApprovalRule(path string, r approval.Rule) error {
	if r.Scope == approval.Notebook || r.Scope == approval.Agent {
		if err := c.approvals.with.Registry.Own(path); err != nil {
			return err
		}
		meta, err := c.approvals.with.Registry.AgentAt(path)
		if err != nil {
			return err
		}
		r.Notebook = meta.UUID
	}
	if granted := c.approvals.with.Granted; granted != nil && !r.Deny {
		if err := granted(r.Tool); err != nil {
			return err
		}
	}
	c.approvals.readAlways()
	if _, err := c.approvals.policy.Add(r); err != nil {
		return err
	}
	c.approvals.inbox.Recheck()
	return nil
}

// RevokeApprovalRule removes a rule by its id.
func (c *Calls) RevokeApprovalRule(id string) error {
	c.approvals.readAlways()
	if !c.approvals.policy.Revoke(id) {
		return fault.New(fault.NotFound, "this rule is not there any more")
	}
	return nil
}

// PreviewApproval returns a request as it would be with other arguments ("" for its
// own), with all lines of its changes. It decides nothing.
func (c *Calls) PreviewApproval(id, arguments string) (approval.Request, error) {
	return c.approvals.inbox.Preview(id, arguments)
}
