package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preferences"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
	"mutsumi/backend/tokens"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

const (
	consultSteps   = 20 // most requests that a consulted agent makes
	maxAgentsNamed = 20 // in an error
)

// consultation lets the agents of a tree ask each other questions.
type consultation struct {
	*notebooks
	access   *access.Access
	kinds    *role.Kinds
	settings *settings.Store
	pause    *pause
	prices   *preferences.Prices
	connect  func(settings.Endpoint) request.Connection
	counters *tokens.Counters
	folder   string
	requests *request.Maker
	records  recorder
}

// ask returns the function with which a notebook's agent asks another agent of its tree. The other
// notebook does not change: its history (or the asking agent's, or none) and the question form a
// separate conversation. In it the consulted agent can only read, within what both agents may touch
// and both kinds offer, and cannot consult others, so that questions do not go in circles. Its
// usage counts for the asking agent.
func (ct *consultation) ask(s request.Spec) func(context.Context, tool.Env, builtin.Consult) tool.Result {
	return func(ctx context.Context, env tool.Env, c builtin.Consult) tool.Result {
		other, err := ct.find(s, c.Agent)
		if err != nil {
			return tool.Error(err.Error())
		}
		asked, err := ct.read(other.File, c, s)
		if err != nil {
			return tool.Error(fmt.Sprintf("%s cannot be asked: %v", clip.Line(other.Name, 80), err))
		}
		return ct.answerReadOnly(ctx, env, s, asked)
	}
}

// find returns another agent of the same tree by its uuid or name. The error lists the candidates.
func (ct *consultation) find(s request.Spec, wanted string) (agenttree.Node, error) {
	nodes := ct.registry.Agents()
	root := agenttree.Roots(nodes)
	var others, meant []agenttree.Node
	for _, n := range nodes {
		if n.File == s.Path() || n.UUID == "" || root[n.UUID] != root[s.Agent.UUID] {
			continue
		}
		others = append(others, n)
		if n.UUID == wanted || strings.EqualFold(strings.TrimSpace(n.Name), wanted) {
			meant = append(meant, n)
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return agenttree.Node{}, fmt.Errorf("%q could be several agents: name one by its uuid\n%s", wanted, listAgents(meant))
	case len(others) == 0:
		return agenttree.Node{}, errors.New("there is no other agent in this tree")
	}
	return agenttree.Node{}, fmt.Errorf("there is no agent %q in this tree; there are\n%s", wanted, listAgents(others))
}

func listAgents(nodes []agenttree.Node) string {
	var b strings.Builder
	for i, n := range nodes {
		if i == maxAgentsNamed {
			fmt.Fprintf(&b, "and %d more", len(nodes)-i)
			break
		}
		fmt.Fprintf(&b, "- %s (uuid %s, %s)\n", clip.Line(n.Name, 80), n.UUID, n.Status)
	}
	return strings.TrimSpace(b.String())
}

// read builds the request with which another agent is asked, from its notebook,
// which may be running and is not changed.
func (ct *consultation) read(path string, c builtin.Consult, by request.Spec) (s request.Spec, err error) {
	if err := ct.withReadOnly(path, func(tx *Tx, nb *notebook.Document) error {
		if err = tx.read(&s, ""); err == nil {
			s.Role, s.Endpoint, err = ct.kinds.ResolveModel(nb.Meta())
		}
		return err
	}); err != nil {
		return s, err
	}
	switch c.History {
	case builtin.HistoryNone:
		s.Turns = nil
	case builtin.HistoryCaller:
		if s.Turns, err = ct.conversation(by); err != nil {
			return s, err
		}
	}
	s.Foreign = func(string) bool { return true } // a model wrote the question, so no call in it was typed by the person
	s.Prompt = chat.Text(fmt.Sprintf("%q, another agent, asks you the question below, beside your own work, which continues as it is. Answer it in text. You can only read here, and nobody can be asked back.\n\n%s",
		clip.Line(by.Agent.Name, 80), c.Question))
	s.Agent.ParentID = "" // it only answers: there is no task to finish
	s.Seen = builtin.NewSeen()
	return s, nil
}

// conversation returns the conversation of the agent that runs s so far.
func (ct *consultation) conversation(s request.Spec) (turns []notebook.HistoryMessage, err error) {
	err = ct.withReadOnly(s.Path(), func(_ *Tx, nb *notebook.Document) error {
		if turns, err = nb.HistoryMessages(s.Cell, prompt.KeySent); err != nil {
			return err
		}
		answer, err := nb.Answer(s.Cell)
		for _, m := range answer {
			turns = append(turns, notebook.HistoryMessage{Cell: s.Cell, Message: m})
		}
		return err
	})
	return turns, err
}

// withReadOnly calls f with a notebook that f must not change. If it is not open,
// its file is read for this one call.
func (n *notebooks) withReadOnly(path string, f func(*Tx, *notebook.Document) error) error {
	return n.registry.ReadOnly(path, func(tx *documents.Tx, nb *notebook.Document) error {
		return inTx(tx, func(tx *Tx) error { return f(tx, nb) })
	})
}

// answerReadOnly runs the consulted agent and returns its last text.
func (ct *consultation) answerReadOnly(ctx context.Context, env tool.Env, by, asked request.Spec) tool.Result {
	both := ct.access.Common(by.Agent.Allowed, ct.access.Of(documents.Holder(asked.Path(), asked.Agent)).Folders)
	asked.Agent.Allowed = append([]string{}, both...)
	if env.Scratch != "" {
		both = append(slices.Clone(both), env.Scratch)
	}
	roots, err := ct.access.Open(ct.folder, both)
	if err != nil {
		return tool.Error(err.Error())
	}
	tools := asked.Role.Only(slices.DeleteFunc(builtin.Reading(builtin.Options{
		Roots: roots, Seen: asked.Seen, Image: request.Image, Document: request.DocumentReader(asked.Endpoint), Models: ct.requests.Models(asked.Endpoint),
	}), func(t tool.Tool) bool { return !by.Role.Offers(t.Name()) }), nil)
	built, err := ct.requests.Preview(ctx, asked, roots, tools)
	if err != nil {
		return tool.Error(err.Error())
	}
	cfg := agent.Config{
		Model:    ct.withinBudget(by.Path(), ct.records.of(by.Agent.UUID, by.Cell, ct.connect(asked.Endpoint).Model)),
		Request:  request.For(asked.Endpoint.Model),
		Messages: notebook.Sendable(built.Messages), Env: env,
		StepLimit: min(consultSteps, ct.settings.Preferences().StepLimit), NoImages: !asked.Endpoint.Model.Images, Documents: request.DocumentsOf(asked.Endpoint),
		Tokens: ct.counters.For(asked.Endpoint.Model.ID),
	}
	if asked.Endpoint.Model.Tools {
		cfg.Tools = tools
	}
	last := ""
	result := agent.Run(ctx, cfg, func(u agent.Update) {
		put, ok := u.(agent.Put)
		if !ok {
			return
		}
		if text := strings.TrimSpace(put.Message.Content.String()); text != "" && put.Message.Role == chat.Assistant {
			last = text
		}
		if put.Usage != nil {
			ct.chargeUsage(by.Path(), asked.Endpoint.Model.ID, *put.Usage)
		}
	})
	return resultOf(result, last)
}

func resultOf(result agent.Result, last string) tool.Result {
	why := ""
	if result.Fault != nil {
		why = result.Fault.Message
	}
	switch {
	case result.Outcome == agent.Done && last != "":
		return tool.Text(last)
	case result.Outcome == agent.Done:
		return tool.Error("The agent that was asked gave no answer. Ask in another way, or find it out yourself.")
	case last != "":
		return tool.Error(fmt.Sprintf("The agent that was asked did not come to an end (%s). What it said so far:\n\n%s", why, last))
	}
	return tool.Error("The agent that was asked gave no answer: " + why)
}

// withinBudget wraps a model so that its requests count against the budget of the asking agent.
// Requests check the budget one at a time.
func (ct *consultation) withinBudget(path string, model agent.Model) agent.Model {
	within := func(ctx context.Context) bool {
		d, r := ct.atWork(path)
		if r == nil {
			return false
		}
		d.consults.Lock()
		defer d.consults.Unlock()
		return d.withinBudget(ctx, r)
	}
	stop := func() {
		if _, r := ct.atWork(path); r != nil {
			r.cancel()
		}
	}
	return budgeted{pausable{model, ct.pause, func(string) {}}, within, stop}
}

// chargeUsage adds a consulted agent's usage to the run of the asking agent.
func (ct *consultation) chargeUsage(path, model string, usage chat.Usage) {
	ct.open(path, func(tx *Tx, _ *notebook.Document) error {
		if tx.active == nil {
			return nil
		}
		tx.active.charge(ct.prices.Table(), model, usage)
		return nil
	})
}

// charge adds a consulted agent's usage, by model because prices differ. Call it in a Tx.
func (r *run) charge(prices cost.Table, model string, usage chat.Usage) {
	r.spent = r.spent.Add(cost.Of(usage, prices.Find(cost.Model{ID: model})))
	i := slices.IndexFunc(r.consulted, func(m notebook.ModelUsage) bool { return m.Model == model })
	if i < 0 {
		i = len(r.consulted)
		r.consulted = append(r.consulted, notebook.ModelUsage{Model: model})
	}
	r.consulted[i].Requests++
	r.consulted[i].Usage = r.consulted[i].Usage.Add(usage)
}
