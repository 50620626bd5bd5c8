// Package acp has notebooks answered by other agents on this machine, which speak the Agent Client
// Protocol (SPEC 14): it finds them, runs their processes, and turns what they send into the
// messages of an answer. It decides nothing about their calls and owns no notebook: package runner
// does.
package acp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
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
	Stop           time.Duration         // how long a turn may take to stop, until it is ended by force; 0: 2 s
}

// Agents are the agents that can answer the notebooks of one folder. It is safe for concurrent use.
type Agents struct {
	with   Options
	timing timing
	limits limits
	finder finder
	ends   sync.WaitGroup // of processes
	state  lock.Guarded[agentsState]
}

// agentsState is what a lock guards.
type agentsState struct {
	closed bool
	places map[string]*place // by the notebook's uuid
	seen   map[string]seen   // by the agent's id
	signed map[string]string // the method by which the person signed in to an agent
	apart  map[*conn]bool    // processes without a notebook
}

// seen is what an agent said when it last ran.
type seen struct {
	version string
	state   State // "": nothing is known
	problem error // of Broken and SignIn
	methods []authMethod
	options []option
	offers  []Command
}

// Open returns the Agents of a folder. It starts nothing.
func Open(o Options) *Agents {
	a := &Agents{with: o, timing: defaultTiming, limits: defaultLimits}
	a.timing.stop = cmp.Or(o.Stop, a.timing.stop)
	if o.Context != nil {
		context.AfterFunc(o.Context, a.Close)
	}
	return a
}

// Close ends every process and waits for their end.
func (a *Agents) Close() {
	var conns []*conn
	a.state.Do(func(s *agentsState) {
		s.closed = true
		conns = slices.Collect(maps.Keys(s.apart))
		for _, p := range s.places {
			if c := p.leave(); c != nil {
				conns = append(conns, c)
			}
		}
	})
	for _, c := range conns {
		a.ends.Go(func() { c.closeSoon(250 * time.Millisecond) })
	}
	a.ends.Wait()
}

// Name returns the name of an agent for a person; its id if it is not known.
func (a *Agents) Name(id string) string {
	for _, in := range a.own() {
		if in.ID == id {
			return nameOf(in)
		}
	}
	for _, k := range knownAgents {
		if k.id == id {
			return k.name
		}
	}
	return id
}

// Drop ends the process of a notebook's agent, if it runs.
func (a *Agents) Drop(notebook string) {
	var p *place
	a.state.Do(func(s *agentsState) { p = s.places[notebook] })
	if p != nil {
		p.end(true)
	}
}

// DropAll ends the processes of all notebooks' agents: their folder is no longer trusted. The Allowed
// of a turn that starts one at the same time has to refuse it already.
func (a *Agents) DropAll() {
	var all []*place
	a.state.Do(func(s *agentsState) { all = slices.Collect(maps.Values(s.places)) })
	for _, p := range all {
		p.end(true)
	}
}

func (a *Agents) own() []Input {
	if a.with.Own == nil {
		return nil
	}
	return a.with.Own()
}

// launch returns how to start an agent in a folder.
func (a *Agents) launch(id, dir string) (launch, error) {
	l := launch{id: id, name: id, dir: dir, env: map[string]string{}}
	look := a.finder.look()
	for _, in := range a.own() {
		if in.ID != id {
			continue
		}
		l.name, l.args = nameOf(in), in.Args
		if l.program = lookUp(in.Command, look.places); l.program == "" {
			return l, fault.New(fault.NotFound, "Could not start %s: there is no program %q on this computer. Install it, or correct its command in the settings under Agents", l.name, in.Command)
		}
		maps.Copy(l.env, in.Env)
		if _, set := l.env["PATH"]; !set {
			l.env["PATH"] = searchPath(l.program, look.places)
		}
		return l, nil
	}
	for _, k := range knownAgents {
		if k.id != id {
			continue
		}
		l.name = k.name
		f, is := look.known[id]
		if !is {
			return l, fault.New(fault.NotFound, "Could not start %s: its program %s is not on this computer. %s says how to install it", k.name, k.starts[0].program, k.home)
		}
		l.program, l.args, l.older = f.program, f.args, f.older
		l.env["PATH"] = searchPath(l.program, look.places)
		return l, nil
	}
	return l, fault.New(fault.NotFound, "Could not find the agent %s: neither the settings nor this program know it. Choose another one for the notebook", id)
}

// place returns the place of a notebook's agent, and makes it if there is none.
func (a *Agents) place(notebook string) (p *place) {
	a.state.Do(func(s *agentsState) {
		if p = s.places[notebook]; p != nil {
			return
		}
		p = newPlace(a, notebook)
		if s.places == nil {
			s.places = map[string]*place{}
		}
		s.places[notebook] = p
	})
	return p
}

// see changes what is known of an agent, and reports it.
func (a *Agents) see(id string, change func(*seen)) {
	a.state.Do(func(s *agentsState) {
		if s.seen == nil {
			s.seen = map[string]seen{}
		}
		v := s.seen[id]
		change(&v)
		s.seen[id] = v
	})
	a.changed(id)
}

func (a *Agents) lastSeen(id string) (v seen) {
	a.state.Do(func(s *agentsState) { v = s.seen[id] })
	return v
}

func (a *Agents) changed(id string) {
	if a.with.Changed != nil {
		a.with.Changed(id)
	}
}

// isClosed reports whether nothing may start any more.
func (a *Agents) isClosed() (closed bool) {
	a.state.Do(func(s *agentsState) { closed = s.closed })
	return closed
}

// adopt notes a process that was just started: ends is Done when it has ended. It returns false if
// none may run any more.
func (a *Agents) adopt(c *conn, p *place) (kept bool) {
	a.state.Do(func(s *agentsState) {
		if s.closed {
			return
		}
		a.ends.Add(1)
		if kept = true; p != nil {
			p.state.Do(func(s *placeState) { s.conn = c })
			return
		}
		if s.apart == nil {
			s.apart = map[*conn]bool{}
		}
		s.apart[c] = true
	})
	return kept
}

var errClosed = fault.New(fault.Canceled, "Could not start the agent: the folder is closed")
