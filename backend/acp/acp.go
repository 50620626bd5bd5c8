// Package acp has notebooks answered by other agents on this machine, which speak the Agent Client
// Protocol (SPEC 14): it finds them, runs their processes, and turns what they send into the
// messages of an answer. It decides nothing about their calls and owns no notebook: package runner
// does.
package acp

import (
	"context"
	"errors"

	"mutsumi/backend/agent"
)

// Options configure the Agents of a folder.
type Options struct {
	Context context.Context // ends every process
	// Own lists the agents of the settings; Save adds or changes one, Remove removes one.
	Own    func() []Input
	Save   func(Input) error
	Remove func(id string) error
	// Notebook returns the uuid of a notebook and the id of the agent that answers it ("": none).
	Notebook       func(path string) (uuid, agent string, err error)
	Changed        func(agent string)    // the state of an agent changed; "": which there are
	SessionChanged func(notebook string) // the SessionView of a notebook, by its uuid, changed
}

// Agents are the agents that can answer the notebooks of one folder. It is safe for concurrent use.
type Agents struct{ with Options }

// Open returns the Agents of a folder. It starts nothing.
func Open(o Options) *Agents { return &Agents{o} }

// Close ends every process and waits for their end.
func (a *Agents) Close() {}

// Name returns the name of an agent for a person; its id if it is not known.
func (a *Agents) Name(id string) string { return id }

// Drop ends the process of a notebook's agent, if it runs.
func (a *Agents) Drop(notebook string) {}

// Answer has a prompt answered, and emits what comes. session is the agent's session that now knows
// the conversation with the answer; "": none does. However the turn ends, every call that was
// emitted has its result, and the process and what it started end with Close at the latest.
func (a *Agents) Answer(ctx context.Context, t Turn) (result agent.Result, session string) {
	return agent.Result{Outcome: agent.Failed}, ""
}

// Calls lets the interface list agents, and change what one offers for a notebook. Package
// workspace embeds it.
type Calls struct{ agents *Agents }

// Calls returns the calls of the interface.
func (a *Agents) Calls() *Calls { return &Calls{a} }

// ACPAgents lists the agents that can answer notebooks: those of the settings, those that were
// found, and known ones that are not on this computer.
func (c *Calls) ACPAgents() ([]View, error) { return []View{}, nil }

// AddACPAgent adds an agent to the settings, or changes it.
func (c *Calls) AddACPAgent(in Input) error { return errors.ErrUnsupported }

// RemoveACPAgent removes an agent from the settings.
func (c *Calls) RemoveACPAgent(id string) error { return errors.ErrUnsupported }

// SignInACPAgent signs in to an agent by one of its methods. It returns when that is done.
func (c *Calls) SignInACPAgent(id, method string) error { return errors.ErrUnsupported }

// ACPSession returns the session of the agent that answers a notebook.
func (c *Calls) ACPSession(path string) (SessionView, error) { return SessionView{}, nil }

// SetACPOption makes a choice that an agent offers for its session.
func (c *Calls) SetACPOption(path, option, value string) error { return errors.ErrUnsupported }
