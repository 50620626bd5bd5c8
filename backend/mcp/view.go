package mcp

import (
	"context"
	"errors"
	"maps"
	"slices"

	"mutsumi/backend/clip"
	"mutsumi/backend/mcp/signin"
)

// View is a server as the interface shows it. Name is the person's; Title and Version come from the
// server and are hostile.
type View struct {
	Name     string `json:"name"`
	From     string `json:"from"` // "folder" or "settings"
	Line     string `json:"line"` // the command or the address, with references in place of keys
	State    State  `json:"state"`
	Problem  string `json:"problem"` // why it cannot be used, or why it failed; "": nothing
	Title    string `json:"title"`
	Version  string `json:"version"`
	Revision string `json:"revision"` // of the protocol
	Tools    int    `json:"tools"`
	Tokens   int    `json:"tokens"` // of their definitions; only Calls.Servers counts them
	// Changed are the tools that changed since the person allowed them. No agent is offered them
	// until the person accepts the change (ToolChange, AcceptTool).
	Changed []string `json:"changed"`
	// SignIn is the state of the sign-in to it.
	SignIn SignInView `json:"signIn"`

	waits, listed bool
}

// Waits reports whether the server cannot start until the person does what Problem says.
func (v View) Waits() bool { return v.waits }

// Listed reports whether the server runs and has listed its tools.
func (v View) Listed() bool { return v.listed }

// List returns the configured servers, sorted by name. The error says what cannot be read; the
// other servers are listed all the same.
func (s *Servers) List() ([]View, error) {
	all, err := s.refresh()
	views := make([]View, 0, len(all))
	for _, have := range all {
		views = append(views, have.view())
	}
	return views, err
}

func (v *server) view() View {
	const shown = 200 // characters
	out := View{Name: v.set.Name, From: string(v.set.From), Line: clip.VisibleLine(v.set.Line(), 10*shown), Problem: v.set.Problem, waits: v.set.Problem != ""}
	changes, err := v.changes()
	if err != nil && out.Problem == "" {
		out.Problem = clip.VisibleLine(err.Error(), 10*shown)
	}
	out.Changed = slices.Sorted(maps.Keys(changes))
	if out.Changed == nil {
		out.Changed = []string{}
	}
	out.SignIn = v.signInView()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.live != nil && isOver(v.live) {
		v.ended()
	}
	out.State, out.Tools, out.listed = v.state, len(v.listed), v.live != nil && !v.at.IsZero()
	switch {
	case v.state == SignIn:
		var needed *signin.Needed
		if errors.As(v.why, &needed) { // the state already says that somebody has to sign in
			out.Problem = clip.VisibleLine(needed.Reason, 10*shown)
		}
	case v.why != nil:
		out.Problem = clip.VisibleLine(v.failure().Error(), 10*shown)
	}
	if v.live != nil {
		a := v.live.About()
		out.Title, out.Version, out.Revision = clip.VisibleLine(a.Name, shown), clip.VisibleLine(a.Version, shown), clip.VisibleLine(a.Revision, shown)
	}
	return out
}

// Restart ends a server and starts it again; see wishes.
func (s *Servers) Restart(ctx context.Context, name string) error {
	start, err := s.wantStarted(name)
	if err != nil {
		return err
	}
	return start(ctx)
}

// wantStarted asks for a restart of a server. start returns when the server runs, has failed, or
// was stopped since.
func (s *Servers) wantStarted(name string) (start func(context.Context) error, err error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	have.signs.mu.Lock()
	have.signs.told = true // the person is looking at it
	have.signs.mu.Unlock()
	ended := have.want(Configured)
	return func(ctx context.Context) error {
		<-ended
		_, err := have.tools(ctx)
		return err
	}, nil
}

// Stop ends a server, which does not restart on its own. See wishes.
func (s *Servers) Stop(name string) error {
	end, err := s.wantStopped(name)
	if err != nil {
		return err
	}
	end()
	return nil
}

// wantStopped asks for a stop of a server. end returns when it has stopped.
func (s *Servers) wantStopped(name string) (end func(), err error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	ended := have.want(Stopped)
	return func() { <-ended }, nil
}

// Log returns the last lines that a server's process wrote outside the protocol: hostile text.
func (s *Servers) Log(name string) (string, error) {
	have, err := s.find(name)
	if err != nil {
		return "", err
	}
	return have.log.Text(), nil
}
