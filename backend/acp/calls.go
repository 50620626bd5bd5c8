package acp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

// Calls lets the interface list agents, and change what one offers for a notebook. Package
// workspace embeds it.
type Calls struct{ agents *Agents }

// Calls returns the calls of the interface.
func (a *Agents) Calls() *Calls { return &Calls{a} }

// ACPAgents lists the agents that can answer notebooks: those of the settings, those that were
// found, and known ones that are not on this computer.
func (c *Calls) ACPAgents() ([]View, error) {
	a := c.agents
	look := a.finder.look()
	all, missing := []View{}, []View{}
	taken := map[string]bool{}
	for _, in := range a.own() {
		if taken[in.ID] {
			continue
		}
		taken[in.ID] = true
		v := View{ID: in.ID, Name: nameOf(in), From: Settings, Line: commandLine(in.Command, in.Args), State: Ready, Home: homeOf(in.ID)}
		if lookUp(in.Command, look.places) == "" {
			v.State = Missing
		}
		all = append(all, a.seenIn(v))
	}
	for _, k := range knownAgents {
		if taken[k.id] {
			continue
		}
		v := View{ID: k.id, Name: k.name, From: Found, Line: commandLine(k.starts[0].program, k.starts[0].args), State: Missing, Home: k.home}
		f, is := look.known[k.id]
		if !is {
			missing = append(missing, a.seenIn(v))
			continue
		}
		v.Line, v.State = commandLine(f.start.program, f.args), Ready
		all = append(all, a.seenIn(v))
	}
	return append(all, missing...), nil
}

func homeOf(id string) string {
	for _, k := range knownAgents {
		if k.id == id {
			return k.home
		}
	}
	return ""
}

// seenIn adds to a view what the agent said when it last ran.
func (a *Agents) seenIn(v View) View {
	v.SignIns = []SignInMethod{}
	if v.State == Missing {
		return v
	}
	s := a.lastSeen(v.ID)
	v.Version, v.State = s.version, cmp.Or(s.state, v.State)
	if s.problem != nil {
		v.Problem = s.problem.Error()
	}
	if v.State != SignIn {
		return v
	}
	for _, m := range s.methods {
		v.SignIns = append(v.SignIns, SignInMethod{ID: m.ID, Name: clip.VisibleLine(cmp.Or(m.Name, m.ID), 200), Description: clip.VisibleLine(m.Description, 1000)})
	}
	return v
}

// Limits of an agent in the settings.
const (
	maxName  = 100
	maxWords = 200 // arguments, and variables
)

// AddACPAgent adds an agent to the settings, or changes it.
func (c *Calls) AddACPAgent(in Input) error {
	a := c.agents
	if a.with.Save == nil {
		return errors.ErrUnsupported
	}
	in.Name, in.Command = clip.Plain(in.Name, maxName), strings.TrimSpace(in.Command)
	switch {
	case in.Command == "":
		return fault.New(fault.Invalid, "Could not save the agent: its command is missing")
	case in.Name == "":
		return fault.New(fault.Invalid, "Could not save the agent: its name is missing")
	case len(in.Args) > maxWords || len(in.Env) > maxWords:
		return fault.New(fault.Invalid, "Could not save the agent: it has more than %d arguments or variables", maxWords)
	}
	for name := range in.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fault.New(fault.Invalid, "Could not save the agent: %q is not the name of a variable", name)
		}
	}
	if in.ID == "" {
		in.ID = a.freeID(cmp.Or(clip.Slug(in.Name, 40), "agent"))
	}
	if err := a.with.Save(in); err != nil {
		return err
	}
	a.restart(in.ID)
	return nil
}

// freeID returns an id that no agent has.
func (a *Agents) freeID(base string) string {
	own := a.own()
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		has := func(in Input) bool { return in.ID == id }
		is := func(k known) bool { return k.id == id }
		if !slices.ContainsFunc(own, has) && !slices.ContainsFunc(knownAgents, is) {
			return id
		}
	}
}

// RemoveACPAgent removes an agent from the settings.
func (c *Calls) RemoveACPAgent(id string) error {
	a := c.agents
	if a.with.Remove == nil {
		return errors.ErrUnsupported
	}
	if err := a.with.Remove(id); err != nil {
		return err
	}
	a.restart(id)
	return nil
}

// restart forgets what is known of an agent, and ends its idle processes: they start again when
// they are used.
func (a *Agents) restart(id string) {
	var all []*place
	a.state.Do(func(s *agentsState) {
		delete(s.seen, id)
		delete(s.signed, id)
		for _, p := range s.places {
			all = append(all, p)
		}
	})
	for _, p := range all {
		p.endIdle(id)
	}
	a.changed("")
}

// SignInACPAgent signs in to an agent by one of its methods. It returns when that is done.
func (c *Calls) SignInACPAgent(id, method string) error {
	ctx := c.agents.with.Context
	if ctx == nil {
		ctx = context.Background()
	}
	return c.agents.signIn(ctx, id, method)
}

// ACPSession returns the session of the agent that answers a notebook.
func (c *Calls) ACPSession(path string) (SessionView, error) {
	none := SessionView{Options: []Option{}, Commands: []Command{}}
	p, agent, err := c.placeOf(path)
	if err != nil || agent == "" {
		return none, err
	}
	return p.view(agent), nil
}

// SetACPOption makes a choice that an agent offers for its session.
func (c *Calls) SetACPOption(path, option, value string) error {
	p, agent, err := c.placeOf(path)
	if err != nil {
		return err
	}
	if agent == "" {
		return fault.New(fault.Invalid, "Could not set the option: no agent answers this notebook")
	}
	return p.choose(agent, option, value)
}

func (c *Calls) placeOf(path string) (*place, string, error) {
	if c.agents.with.Notebook == nil {
		return nil, "", nil
	}
	uuid, agent, err := c.agents.with.Notebook(path)
	if err != nil || agent == "" {
		return nil, "", err
	}
	return c.agents.place(uuid), agent, nil
}

func nameOf(in Input) string { return clip.Plain(cmp.Or(in.Name, in.ID), maxName) }
