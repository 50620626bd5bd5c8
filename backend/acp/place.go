package acp

import (
	"context"
	"maps"
	"slices"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
)

// place is where the agent of a notebook runs. It is safe for concurrent use.
type place struct {
	agents   *Agents
	notebook string
	turns    chan struct{} // holds one while a turn runs
	state    lock.Guarded[placeState]
}

// placeState is what a lock guards.
type placeState struct {
	conn    *conn // of link, as soon as its process runs; nil: none runs
	link    *link // nil: there is none
	idle    *time.Timer
	of      string // the agent that offers what follows
	offer   offer
	chosen  map[string]map[string]string // by agent and option: what the person chose
	telling bool                         // a change is about to be reported
}

// offer is what an agent offers for a session, and says about it.
type offer struct {
	session  string
	options  []option
	commands []Command
	usage
}

type usage struct {
	used, size int
	cost       float64
	currency   string
}

func newPlace(a *Agents, notebook string) *place {
	return &place{agents: a, notebook: notebook, turns: make(chan struct{}, 1)}
}

// leave makes the place forget its process, and returns it for its end; nil: none runs.
func (p *place) leave() (c *conn) {
	p.state.Do(func(s *placeState) {
		c, s.conn, s.link = s.conn, nil, nil
		if s.idle != nil {
			s.idle.Stop()
		}
	})
	return c
}

// end ends the process, if one runs. Without hurry it has time to save its session.
func (p *place) end(hurry bool) {
	if c := p.leave(); c != nil {
		c.close(hurry)
		p.tell()
	}
}

// endIdle ends the process of an agent unless it answers just now.
func (p *place) endIdle(agent string) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	default:
		return
	}
	var c *conn
	p.state.Do(func(s *placeState) { c = s.conn })
	if c != nil && (agent == "" || c.start.id == agent) {
		p.end(false)
	}
}

// rest begins the time after which the idle process ends.
func (p *place) rest() {
	p.state.Do(func(s *placeState) {
		if s.idle != nil {
			s.idle.Stop()
		}
		s.idle = time.AfterFunc(p.agents.timing.idle, func() { p.endIdle("") })
	})
}

// ready returns the link to a running process of an agent in a folder, and starts one if need be and
// the turn allows it.
func (p *place) ready(ctx context.Context, l launch, t Turn) (*link, error) {
	if err := t.refusal(ctx); err != nil {
		return nil, err
	}
	var have *link
	p.state.Do(func(s *placeState) {
		if have = s.link; s.idle != nil {
			s.idle.Stop()
		}
	})
	if have != nil && have.conn.isLive() && have.conn.start.same(l) {
		return have, nil
	}
	p.end(false)
	made, err := p.startLink(ctx, l, l.args, t)
	if err != nil && l.older != nil && ctx.Err() == nil && isUnknownArgument(err) {
		made, err = p.startLink(ctx, l, l.older, t)
	}
	if err != nil {
		p.leave()
		return nil, t.reason(ctx, err)
	}
	p.state.Do(func(s *placeState) {
		if s.conn == made.conn { // otherwise it was ended meanwhile
			s.link = made
		}
	})
	return made, nil
}

func (p *place) startLink(ctx context.Context, l launch, args []string, t Turn) (*link, error) {
	made := &link{place: p}
	l.args = args
	_, err := connect(ctx, l, made, p.agents.timing, func(c *conn) error {
		made.conn = c
		if !p.agents.adopt(c, p) {
			return errClosed
		}
		go p.watch(made)
		return t.refusal(ctx) // what is withdrawn later calls DropAll, which ends it
	})
	if err != nil && p.agents.isClosed() {
		err = errClosed
	}
	return made, err
}

// watch waits for the end of a process, and cleans up what it left.
func (p *place) watch(l *link) {
	defer p.agents.ends.Done()
	c := l.conn
	c.wait()
	l.killTerminals()
	mine := false
	p.state.Do(func(s *placeState) {
		if mine = s.conn == c; mine {
			s.conn, s.link = nil, nil
		}
	})
	if mine {
		p.tell()
	}
}

// tell reports a change of the SessionView, a little later: many come at once.
func (p *place) tell() {
	const soon = 30 * time.Millisecond
	if p.agents.with.SessionChanged == nil {
		return
	}
	p.state.Do(func(s *placeState) {
		if s.telling {
			return
		}
		s.telling = true
		time.AfterFunc(soon, func() {
			p.state.Do(func(s *placeState) { s.telling = false })
			if !p.agents.isClosed() {
				p.agents.with.SessionChanged(p.notebook)
			}
		})
	})
}

// change changes what an agent offers, and reports it.
func (p *place) change(agent string, f func(*offer)) {
	p.state.Do(func(s *placeState) {
		if s.of != agent {
			s.of, s.offer = agent, offer{}
		}
		f(&s.offer)
	})
	p.tell()
}

// offered returns what an agent offers: before its first session, what it offered another notebook.
func (p *place) offered(agent string) (o offer, live bool, chosen map[string]string) {
	known := false
	p.state.Do(func(s *placeState) {
		if known = s.of == agent && s.offer.session != ""; known {
			o = s.offer
		}
		o.options = slices.Clone(o.options)
		live = s.link != nil && s.link.conn.start.id == agent
		chosen = maps.Clone(s.chosen[agent])
	})
	if !known {
		seen := p.agents.lastSeen(agent)
		o.options, o.commands = slices.Clone(seen.options), seen.offers
	}
	return o, live, chosen
}

// view returns what the interface shows.
func (p *place) view(agent string) SessionView {
	o, live, chosen := p.offered(agent)
	v := SessionView{
		Agent: agent, Session: clip.Visible(o.session), Live: live, Options: []Option{}, Commands: append([]Command{}, o.commands...),
		Used: o.used, Size: o.size, Cost: o.cost, Currency: o.currency,
	}
	for _, op := range o.options {
		if value, is := chosen[op.ID]; is && !live && op.has(value) {
			op.Value = value
		}
		v.Options = append(v.Options, op.Option)
	}
	return v
}

// choose makes a choice for the notebook's session, or for the next one if none is there.
func (p *place) choose(agent, id, value string) error {
	o, live, _ := p.offered(agent)
	i := slices.IndexFunc(o.options, func(op option) bool { return op.ID == id })
	if i < 0 || !o.options[i].has(value) {
		return fault.New(fault.Invalid, "Could not set the option: %s does not offer this choice now", p.agents.Name(agent))
	}
	if live {
		var l *link
		p.state.Do(func(s *placeState) { l = s.link })
		if l != nil && l.sessionID() != "" {
			if err := l.set(context.Background(), o.options[i], value); err != nil {
				return fault.New(fault.Internal, "Could not set the option: %w", l.conn.told(err))
			}
		}
	}
	p.state.Do(func(s *placeState) {
		if s.chosen == nil {
			s.chosen = map[string]map[string]string{}
		}
		if s.chosen[agent] == nil {
			s.chosen[agent] = map[string]string{}
		}
		s.chosen[agent][id] = value
	})
	p.tell()
	return nil
}
