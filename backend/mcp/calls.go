package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
)

// Calls lets the interface and the command line list, start and stop servers. Package workspace
// embeds it.
type Calls struct {
	servers *Servers
	context context.Context // of the folder
	start   func(func())    // runs a function in the background
}

// Calls returns the calls of the interface. ctx ends with the folder; start runs a function
// in the background.
func (s *Servers) Calls(ctx context.Context, start func(func())) *Calls { return &Calls{s, ctx, start} }

// Listing is the MCP servers that are set up. Problem says which configuration could not be read;
// "": none.
type Listing struct {
	Servers []View `json:"servers"`
	Problem string `json:"problem"`
}

// Servers lists the MCP servers that are set up, with their states.
func (c *Calls) Servers() (Listing, error) {
	all, err := c.servers.List()
	l := Listing{Servers: all}
	if count := c.servers.with.Tokens; count != nil {
		at := map[string]*View{}
		for i := range all {
			at[all[i].Name] = &all[i]
		}
		for _, t := range c.servers.Known() {
			if v := at[t.Server]; v != nil && t.Problem == "" {
				v.Tokens += count(t)
			}
		}
	}
	if err != nil {
		l.Problem = clip.VisibleLine(err.Error(), 500)
	}
	return l, nil
}

// RestartServer ends a server and starts it again, in the background; its state shows the progress.
// If RestartServer and StopServer are called in a row, the last call wins.
func (c *Calls) RestartServer(name string) error {
	start, err := c.servers.wantStarted(name)
	if err != nil {
		return err
	}
	c.start(func() { start(c.context) })
	return nil
}

// StopServer ends a server, in the background. It does not restart on its own.
func (c *Calls) StopServer(name string) error {
	end, err := c.servers.wantStopped(name)
	if err != nil {
		return err
	}
	c.start(end)
	return nil
}

// ToolChange returns how a tool of a server differs from what the person allowed.
func (c *Calls) ToolChange(server, tool string) (ToolChange, error) {
	return c.servers.ToolChange(server, tool)
}

// AcceptTool lets agents use a tool as it is now; hash names the version that the person saw.
func (c *Calls) AcceptTool(server, tool, hash string) error {
	return c.servers.AcceptTool(server, tool, hash)
}

// ServerLog returns the last lines that a server printed outside the protocol: hostile text.
func (c *Calls) ServerLog(name string) (string, error) { return c.servers.Log(name) }

// ServerTools starts a server if need be and lists its tools.
func (c *Calls) ServerTools(ctx context.Context, name string) ([]client.Tool, error) {
	return c.servers.Tools(ctx, name)
}

// CallServer calls a tool of a server for the person, who typed the call.
func (c *Calls) CallServer(ctx context.Context, server, tool string, args json.RawMessage) (client.Result, error) {
	if !json.Valid(args) || len(args) == 0 || args[0] != '{' {
		return client.Result{}, errors.New("the arguments are not a JSON object")
	}
	return c.servers.Call(ctx, server, client.Call{Tool: tool, Args: args})
}

// SignInPage is the page that the browser opens so that the person can sign in to a server.
type SignInPage struct {
	Address string `json:"address"`
	Host    string `json:"host"` // of Address
}

// SignInServer begins a sign-in to a server after the person asked for it. The state of the server
// shows how it goes.
func (c *Calls) SignInServer(name string) (SignInPage, error) {
	a, err := c.servers.SignIn(c.context, name, nil)
	if err != nil {
		return SignInPage{}, err
	}
	return SignInPage{a.Address, a.Host}, nil
}

// CancelSignIn gives up a sign-in that waits for the browser.
func (c *Calls) CancelSignIn(name string) error { return c.servers.CancelSignIn(name) }

// SignOutServer forgets the sign-in to a server. note explains why the server could not be told.
func (c *Calls) SignOutServer(name string) (note string, err error) {
	return c.servers.SignOut(c.context, name)
}

// ForgetSignIn signs out of a server of the settings that is about to be removed, if anybody is
// signed in to it.
func (c *Calls) ForgetSignIn(name string) error {
	listed, _ := c.servers.List() // a configuration that cannot be read has no such server
	for _, v := range listed {
		if v.Name == name && v.From == string(config.Settings) && v.SignIn.In {
			_, err := c.SignOutServer(name)
			return err
		}
	}
	return nil
}

// SignInNow signs in to a server and returns once that is done. show gets the page to open, and a
// function that takes the address at which a browser on another machine ended up.
func (c *Calls) SignInNow(ctx context.Context, name string, show func(p SignInPage, arrived func(address string) error)) error {
	done := make(chan error, 1)
	a, err := c.servers.SignIn(ctx, name, func(err error) { done <- err })
	if err != nil {
		return err
	}
	show(SignInPage{a.Address, a.Host}, a.Arrived)
	select {
	case err = <-done:
	case <-ctx.Done():
		a.Close()
		<-done
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	have, err := c.servers.find(name)
	if err != nil {
		return err
	}
	if session, err := have.session(); err == nil && session != nil && session.Standing().Unkept != nil {
		return fault.New(fault.Internal, "Could not keep the sign-in to %s: %w", name, session.Standing().Unkept)
	}
	return nil
}
