package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

// alone is the peer of a process that answers no notebook.
type alone struct{}

func (alone) note(string, json.RawMessage) {}

func (alone) request(context.Context, string, json.RawMessage) (any, error) { return nil, errNoMethod }

// signIn signs in to an agent by one of its methods. It starts a process for that, and returns when
// the agent says that it is done.
func (a *Agents) signIn(ctx context.Context, id, method string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	l, err := a.launch(id, home)
	if err != nil {
		return err
	}
	for _, earlier := range a.signingIn(id) { // whose page in the browser is lost
		earlier.close(true)
	}
	var c *conn
	_, err = connect(ctx, l, alone{}, a.timing, func(started *conn) error {
		c = started
		if !a.adopt(c, nil) {
			return errClosed
		}
		go func() {
			defer a.ends.Done()
			c.wait()
			a.state.Do(func(s *agentsState) { delete(s.apart, c) })
		}()
		return nil
	})
	if err != nil {
		return err
	}
	defer c.close(false)
	i := slices.IndexFunc(c.about.AuthMethods, func(m authMethod) bool { return m.ID == method })
	if i < 0 {
		return fault.New(fault.NotFound, "Could not sign in to %s: it offers no such way now", l.name)
	}
	if err := inTerminal(l, c.about.AuthMethods[i]); err != nil {
		return err
	}
	err = c.call(ctx, a.timing.signIn, "authenticate", map[string]string{"methodId": method}, nil)
	switch {
	case errors.Is(err, errSilent):
		return fault.New(fault.Internal, "Could not sign in to %s: it did not say within %d minutes that this is done. Try again", l.name, int(a.timing.signIn.Minutes()))
	case err != nil:
		return fault.New(fault.Internal, "Could not sign in to %s: %w", l.name, c.told(err))
	}
	a.state.Do(func(s *agentsState) {
		if s.signed == nil {
			s.signed = map[string]string{}
		}
		s.signed[id] = method
	})
	a.see(id, func(s *seen) { s.state, s.problem = Ready, nil })
	return nil
}

// signingIn returns the processes in which the person is signing in to an agent.
func (a *Agents) signingIn(id string) (all []*conn) {
	a.state.Do(func(s *agentsState) {
		for c := range s.apart {
			if c.start.id == id {
				all = append(all, c)
			}
		}
	})
	return all
}

// inTerminal returns what to do for a way to sign in that this program cannot carry out; nil: it
// can.
func inTerminal(l launch, m authMethod) error {
	if t := m.Meta.Terminal; t != nil && t.Command != "" {
		return fault.New(fault.Invalid, "Could not sign in to %s here. Run this in a terminal, and then your prompt again: %s", l.name, commandLine(t.Command, t.Args))
	}
	switch m.Type {
	case "terminal":
		words := []string{}
		for name, value := range m.Env {
			words = append(words, name+"="+value)
		}
		slices.Sort(words)
		line := commandLine(l.program, append(slices.Clone(l.args), m.Args...))
		return fault.New(fault.Invalid, "Could not sign in to %s here. Run this in a terminal, and then your prompt again: %s", l.name, clip.VisibleLine(strings.Join(append(words, line), " "), maxSaid))
	case "env_var":
		names := []string{}
		for _, v := range m.Vars {
			names = append(names, v.Name)
		}
		return fault.New(fault.Invalid, "Could not sign in to %s here. Set the variable %s for it, in the settings under Agents", l.name, cmp.Or(clip.VisibleLine(strings.Join(names, ", "), maxLabel), m.ID))
	}
	return nil
}
