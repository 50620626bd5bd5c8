// Package acp has notebooks answered by other agents on this machine, which speak the Agent Client
// Protocol (SPEC 14): it finds them, runs their processes, and turns what they send into the
// messages of an answer. It decides nothing about their calls and owns no notebook: package runner
// does.
package acp

// Agents are the agents that can answer the notebooks of one folder. It is safe for concurrent use.
type Agents struct{}

// Calls lets the interface list agents, and change what one offers for a notebook. Package
// workspace embeds it.
type Calls struct{ agents *Agents }

// Calls returns the calls of the interface.
func (a *Agents) Calls() *Calls { return &Calls{a} }

// ACPAgents lists the agents that can answer notebooks: those of the settings, those that were
// found, and known ones that are not on this computer.
func (c *Calls) ACPAgents() ([]View, error) { return []View{}, nil }

// AddACPAgent adds an agent to the settings, or changes it.
func (c *Calls) AddACPAgent(in Input) error { return nil }

// RemoveACPAgent removes an agent from the settings.
func (c *Calls) RemoveACPAgent(id string) error { return nil }

// SignInACPAgent signs in to an agent by one of its methods. It returns when that is done.
func (c *Calls) SignInACPAgent(id, method string) error { return nil }

// ACPSession returns the session of the agent that answers a notebook.
func (c *Calls) ACPSession(path string) (SessionView, error) { return SessionView{}, nil }

// SetACPOption makes a choice that an agent offers for its session.
func (c *Calls) SetACPOption(path, option, value string) error { return nil }
