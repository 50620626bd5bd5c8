// Package mcp holds the MCP servers of an open folder (SPEC 13.1): one connection per server for
// all agents, started when it is first used and ended with the folder. It knows each server's
// state, tools and last lines of output.
//
// Everything a server says is hostile: package client limits it, and package mcp/offer makes it
// safe for models. This package asks nobody for approval; it only decides that a folder's servers
// do not start until the folder is trusted.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/signin"
)

// Options say where servers are set up and what they may use.
type Options struct {
	Folder   string                                  // absolute
	Trusted  func(text string) bool                  // whether the person trusts the folder's file with this text
	Settings func() []byte                           // the person's servers, in the form of the file; nil: none
	Keyring  func(from, name string) (string, error) // a keyring entry; from: the folder, or "" for the settings
	Pins     Pins                                    // definitions that the person allowed; nil: a changed definition blocks nothing
	Changed  func(Change)                            // called, without a lock, when a state or a list changed; nil: nothing
	Held     func(server string, tools []string)     // called, without a lock, when tools changed that were allowed: once for each change; nil: nothing
	Updated  func()                                  // called, without a lock, when a resource that was read changed; nil: nothing
	Tokens   func(Tool) int                          // counts the definition of a tool; nil: nobody asks
	Timing   client.Timing

	SignIns      func(from string, what ...string) signin.Keep // where sign-ins are kept, as for Keyring; nil: in memory
	SignInWanted func(name string)                             // called, without a lock, when the person has to sign in; nil: nothing
	Say          func(string) string                           // translates the final page in the browser; nil: English
	Network      signin.Network                                // how to reach authorization servers
}

// Change says that something about a server changed. Offered: its tools for agents may have changed
// too.
type Change struct {
	Server  string // its name; "": the set of configured servers changed
	Offered bool
}

// Servers are the servers of a folder. They are safe for concurrent use.
type Servers struct {
	with Options

	reading lock.Mutex // held while the configuration is read and applied, so that an older one is never applied later
	mu      lock.Mutex
	servers map[string]*server // by name
	read    bool               // the configuration was read at least once
	closed  bool
	ending  sync.WaitGroup
}

// Open returns the servers of a folder. It starts none.
func Open(o Options) *Servers { return &Servers{with: o, servers: map[string]*server{}} }

// maxFile is the largest file of servers that is read, in bytes.
const maxFile = 1 << 20

// configured reads which servers are set up now, sorted by name. The person's own servers come
// before a folder's servers of the same name.
func (s *Servers) configured() (all []config.Server, err error) {
	if s.with.Settings != nil {
		if own := s.with.Settings(); own != nil {
			if all, err = config.Parse(own, config.Settings); err != nil {
				return nil, fault.New(fault.Invalid, "Could not read the MCP servers of the settings: %w", err)
			}
		}
	}
	text, err := readFile(filepath.Join(s.with.Folder, config.File))
	if err != nil || text == nil {
		return all, err
	}
	brought, err := config.Parse(text, config.Folder)
	if err != nil {
		return all, fault.New(fault.Invalid, "Could not read %s: %w", config.File, err)
	}
	counts := s.with.Trusted(string(text))
	for _, b := range brought {
		if slices.ContainsFunc(all, func(own config.Server) bool { return own.Name == b.Name && own.From == config.Settings }) {
			continue
		}
		if !counts && b.Problem == "" {
			b.Problem = untrusted
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b config.Server) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// untrusted is the problem of a server that only waits for the person to trust its folder.
const untrusted = "the folder is not trusted with it: it starts once you trust " + config.File

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.New(fault.Invalid, "Could not read %s: %w", config.File, err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fault.New(fault.Invalid, "Could not read %s: it is no file of at most %d MB", config.File, maxFile>>20)
	}
	return os.ReadFile(path)
}

// refresh rereads the configuration and ends servers that were removed or set up differently.
func (s *Servers) refresh() (all []*server, err error) {
	all, other, closed, err := s.readAll()
	if closed {
		return nil, errClosed
	}
	if other {
		s.changed(Change{Offered: true})
	}
	return all, err
}

func (s *Servers) readAll() (all []*server, other, closed bool, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	configured, err := s.configured()
	all, other, closed = s.takeIn(configured)
	return all, other, closed, err
}

// takeIn applies a configuration and returns its servers, and whether the set of servers changed.
func (s *Servers) takeIn(configured []config.Server) (all []*server, other, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, true
	}
	first := !s.read
	s.read = true
	now := map[string]bool{}
	for _, c := range configured {
		now[c.Name] = true
		have := s.servers[c.Name]
		if have == nil || !reflect.DeepEqual(have.set, c) {
			if have != nil {
				s.end(have)
			}
			have, other = newServer(s, c), true
			s.servers[c.Name] = have
		}
		all = append(all, have)
	}
	for name, have := range maps.Clone(s.servers) {
		if !now[name] {
			other = true
			s.end(have)
			delete(s.servers, name)
		}
	}
	return all, other && !first, false
}

// Recheck ends the servers that are no longer set up or trusted. Whoever changed that
// calls it: nobody may be looking at them.
func (s *Servers) Recheck() {
	s.refresh() // what cannot be read is shown by List
}

var errClosed = errors.New("the folder is being closed, or the server is not set up any more")

// end ends a server that is no longer used, in the background. s.mu is held.
func (s *Servers) end(have *server) {
	s.ending.Add(1)
	go func() {
		defer s.ending.Done()
		have.retire()
	}()
}

// find returns a server by its name.
func (s *Servers) find(name string) (*server, error) {
	all, err := s.refresh()
	for _, have := range all {
		if have.set.Name == name {
			return have, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, fault.New(fault.NotFound, "there is no MCP server named %q here", name)
}

// Close ends all servers and returns when nothing is left of them.
func (s *Servers) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.ending.Wait()
		return
	}
	s.closed = true
	for _, have := range s.servers {
		s.end(have)
	}
	s.mu.Unlock()
	s.ending.Wait()
}

// Tool is a tool of a server.
type Tool struct {
	Server string
	client.Tool
	Blocked string // why it is not offered although it was allowed; "": it is offered
}

// Known lists the tools of the servers that were started, by server and name. It starts none.
func (s *Servers) Known() (all []Tool) {
	servers, _ := s.refresh() // List reports what cannot be read
	for _, have := range servers {
		changes, err := have.changes()
		for _, t := range have.known() {
			blocked := ""
			if _, is := changes[t.Name]; is {
				blocked = "its server changed what it says of it since the person allowed it, and they did not accept that yet"
			} else if err != nil {
				blocked = err.Error()
			}
			all = append(all, Tool{have.set.Name, t, blocked})
		}
	}
	return all
}

// Start starts the servers that do not run, in parallel, and returns when each has listed its tools
// or failed, or ctx ends. A slow server is ready for a later call; a server that was too slow
// before is not waited for again.
func (s *Servers) Start(ctx context.Context) {
	all, _ := s.refresh()
	var each sync.WaitGroup
	for _, have := range all {
		if have.set.Problem == "" && !have.isStopped() {
			if have.wasSlow() {
				go have.tools(context.Background())
				continue
			}
			each.Go(func() { have.tools(ctx) }) // a failure becomes its state
		}
	}
	each.Wait()
}

// Tools starts a server if need be and lists its tools.
func (s *Servers) Tools(ctx context.Context, name string) ([]client.Tool, error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return have.tools(ctx)
}

// Call calls a tool of a server, which it starts if need be; somebody allowed the call. The error,
// for people and models, says what the server did wrong. If it is Denied, nothing was called.
func (s *Servers) Call(ctx context.Context, name string, call client.Call) (client.Result, error) {
	return s.call(ctx, name, call, nil)
}

// CallOffered calls a tool for an agent that was offered it as t.
func (s *Servers) CallOffered(ctx context.Context, t Tool, call client.Call) (client.Result, error) {
	return s.call(ctx, t.Server, call, &t.Tool)
}

func (s *Servers) call(ctx context.Context, name string, call client.Call, offered *client.Tool) (client.Result, error) {
	have, err := s.find(name)
	if err != nil {
		return client.Result{}, err
	}
	if err := have.allows(ctx, call.Tool, offered); err != nil {
		return client.Result{}, err
	}
	conn, err := have.conn(ctx)
	if err != nil {
		return client.Result{}, err
	}
	r, err := conn.Call(ctx, call)
	return r, have.signedOut(conn, err)
}

func (s *Servers) changed(c Change) {
	if s.with.Changed != nil {
		s.with.Changed(c)
	}
}
