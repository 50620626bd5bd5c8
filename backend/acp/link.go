package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
)

// link is a process that answers a notebook, and its session. It is the peer of the process.
type link struct {
	place *place
	conn  *conn
	state lock.Guarded[linkState]
}

// linkState is what a lock guards.
type linkState struct {
	session   string // "": none yet
	opening   bool   // a session is being begun, whose id is not known yet
	turn      *turn  // nil: none runs
	terminals map[string]*terminal
	made      int // terminals
}

func (l *link) sessionID() (id string) {
	l.state.Do(func(s *linkState) { id = s.session })
	return id
}

// open gets the session that a turn continues, or begins one. fresh reports that it knows
// nothing of the conversation yet.
func (l *link) open(ctx context.Context, t Turn) (fresh bool, err error) {
	have := l.sessionID()
	if t.Session.ID != "" && have == t.Session.ID {
		return false, nil
	}
	if have != "" && l.conn.about.Capabilities.Session.Close != nil {
		l.conn.call(ctx, l.place.agents.timing.choose, "session/close", sessionOnly{have}, nil) // it is left, either way
	}
	l.leave()
	params := sessionParams{Dir: t.Dir, MCPServers: []int{}}
	for _, method := range l.resumes() {
		if t.Session.ID == "" {
			break
		}
		params.Session = t.Session.ID
		l.state.Do(func(s *linkState) { s.session = t.Session.ID }) // it may say things about it at once
		err = l.begin(ctx, method, params, t.Session.ID)
		if err == nil || ctx.Err() != nil || errors.Is(err, errEnded) || isSignIn(err) {
			return false, err
		}
		l.leave()
	}
	params.Session = "" // if there was one, it is gone: the conversation is told to a new one
	l.state.Do(func(s *linkState) { s.opening = true })
	err = l.begin(ctx, "session/new", params, "")
	l.state.Do(func(s *linkState) { s.opening = false })
	return true, err
}

// resumes returns the requests that may continue an earlier session.
func (l *link) resumes() (methods []string) {
	can := l.conn.about.Capabilities
	if can.Session.Resume != nil {
		methods = append(methods, "session/resume")
	}
	if can.LoadSession {
		methods = append(methods, "session/load")
	}
	return methods
}

// leave forgets the session.
func (l *link) leave() {
	l.killTerminals()
	l.state.Do(func(s *linkState) { s.session, s.terminals = "", nil })
}

// begin sends the request that begins a session, or continues one, and makes the person's
// choices for it. An agent to which the person signed in before is signed in to again.
func (l *link) begin(ctx context.Context, method string, params sessionParams, id string) error {
	var r sessionResult
	a, agent := l.place.agents, l.conn.start.id
	err := l.conn.call(ctx, a.timing.setUp, method, params, &r)
	if isSignIn(err) {
		var by string
		a.state.Do(func(s *agentsState) { by = s.signed[agent] })
		if by != "" && l.conn.call(ctx, a.timing.setUp, "authenticate", map[string]string{"methodId": by}, nil) == nil {
			err = l.conn.call(ctx, a.timing.setUp, method, params, &r)
		}
	}
	if err != nil {
		return err
	}
	if id == "" {
		id = r.Session
	}
	if id == "" || len(id) > 4*maxID {
		return errors.New("it named no session")
	}
	l.state.Do(func(s *linkState) { s.session = id })
	options := optionsOf(r)
	l.place.change(agent, func(o *offer) {
		if o.session != id {
			o.usage = usage{}
		}
		o.session, o.options = id, options
	})
	l.applyChoices(ctx, options)
	o, _, _ := l.place.offered(agent)
	a.state.Do(func(s *agentsState) {
		if s.seen == nil {
			s.seen = map[string]seen{}
		}
		v := s.seen[agent]
		v.options, v.offers = options, o.commands
		s.seen[agent] = v
	})
	return nil
}

// applyChoices makes the choices that the person made for earlier sessions of the notebook. What
// the agent refuses stays as it is.
func (l *link) applyChoices(ctx context.Context, options []option) {
	_, _, chosen := l.place.offered(l.conn.start.id)
	for _, o := range options {
		if value, is := chosen[o.ID]; is && value != o.Value && o.has(value) && ctx.Err() == nil {
			l.set(ctx, o, value)
		}
	}
}

// note implements peer.
func (l *link) note(method string, params json.RawMessage) {
	if method != "session/update" {
		return
	}
	var p struct {
		Session string          `json:"sessionId"`
		Update  json.RawMessage `json:"update"`
	}
	var u sessionUpdate
	if decode(params, &p) != nil || decode(p.Update, &u) != nil {
		return
	}
	var to *turn
	mine := false
	l.state.Do(func(s *linkState) {
		mine = s.session == p.Session && p.Session != "" || s.session == "" && s.opening
		if s.session == p.Session {
			to = s.turn
		}
	})
	if !mine {
		return
	}
	offers := l.offers(u)
	if to == nil { // it repeats what a loaded session said
		return
	}
	if u.Kind == "usage_update" {
		to.reply.pay(u.Cost)
	} else if !offers {
		to.reply.take(u)
	}
}

// offers takes an update about what the agent offers.
func (l *link) offers(u sessionUpdate) bool {
	change := func(f func(*offer)) { l.place.change(l.conn.start.id, f) }
	switch u.Kind {
	case "available_commands_update":
		all := commandsOf(u)
		l.place.agents.state.Do(func(s *agentsState) {
			if v, is := s.seen[l.conn.start.id]; is {
				v.offers = all
				s.seen[l.conn.start.id] = v
			}
		})
		change(func(o *offer) { o.commands = all })
	case "current_mode_update":
		change(func(o *offer) {
			o.choose(func(x option) bool { return x.Category == "mode" && x.has(u.Mode) }, u.Mode)
		})
	case "config_option_update":
		all := configOptions(u.Options)
		change(func(o *offer) { o.replace(all) })
	case "usage_update":
		now := usage{used: amount(u.Used), size: amount(u.Size)}
		if u.Cost != nil && u.Cost.Amount >= 0 {
			now.cost, now.currency = u.Cost.Amount, clip.VisibleLine(u.Cost.Currency, 10)
		}
		change(func(o *offer) {
			if u.Cost == nil {
				now.cost, now.currency = o.cost, o.currency
			}
			o.usage = now
		})
	default:
		return false
	}
	return true
}

// amount is a number of an agent as a count.
func amount(n float64) int {
	if n < 0 || n > 1<<50 {
		return 0
	}
	return int(n)
}

// isSignIn reports whether an agent says that the person has to sign in.
func isSignIn(err error) bool {
	var e *answerError
	return errors.As(err, &e) && (e.code == codeAuthRequired || strings.Contains(strings.ToLower(e.text), "authentication required"))
}

// isUnknownArgument reports whether a program ended because it does not know one of its arguments.
func isUnknownArgument(err error) bool {
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "unknown argument") || strings.Contains(text, "unknown option") || strings.Contains(text, "unexpected argument")
}

// signInFault says that the person has to sign in; why is what the agent says.
func signInFault(name string, why error) *fault.Error {
	return fault.New(fault.Denied, "Could not begin: %s wants you to sign in first, in the settings under Agents or with its own program in a terminal. It says: %w", name, why)
}
