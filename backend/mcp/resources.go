package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/mcp/client"
)

// Offers is what a server offers besides its tools. Its texts are hostile; addresses and names are
// as they have to be sent, and hold no hidden characters.
type Offers struct {
	Server    string
	Resources []client.Resource
	Templates []client.Template
	Prompts   []client.Prompt
}

// offers are the lists of one connection.
type offers struct {
	mu      lock.Mutex
	of      *client.Conn // the connection they were listed on; nil: nothing was listed
	all     Offers
	at      time.Time
	stale   bool
	reading *reading // in progress; nil: none

	told    time.Time // when a changed resource was last reported
	telling bool      // a report is scheduled
}

// reading is a request for the lists of a connection.
type reading struct {
	of   *client.Conn
	done chan struct{}
	all  Offers
	err  error // that of the prompts
}

// changed notes that a list changed, and reports whether this is the first change since the lists
// were read.
func (o *offers) changed() (news bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !o.stale && o.of != nil
	o.stale = true
	return news
}

// next returns the lists of a connection or, if they have to be read again, the reading to wait for;
// with now, changed ones have to at once. If begins is true, the caller has to carry it out.
func (o *offers) next(conn *client.Conn, now bool) (all Offers, r *reading, begins bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == conn && (!o.stale || !now && time.Since(o.at) < relist) {
		return o.all, nil, false
	}
	if begins = o.reading == nil || o.reading.of != conn; begins {
		o.reading = &reading{of: conn, done: make(chan struct{})}
		o.stale = false
	}
	return Offers{}, o.reading, begins
}

// end keeps the lists of a reading.
func (o *offers) end(r *reading, failed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reading == r {
		o.reading = nil
		o.of, o.all, o.at = r.of, r.all, time.Now()
		o.stale = o.stale || failed
	}
	close(r.done)
}

// running returns the connection of a running server; nil: it does not run.
func (v *server) running() *client.Conn {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.live == nil || isOver(v.live) || v.set.Problem != "" {
		return nil
	}
	return v.live
}

// Offers lists what the running servers offer besides their tools, sorted by server name. It starts
// none, and leaves out what a server does not list before ctx ends.
func (s *Servers) Offers(ctx context.Context) (all []Offers) {
	servers, _ := s.refresh() // List reports what cannot be read
	out := make([]Offers, len(servers))
	var each sync.WaitGroup
	for i, have := range servers {
		conn := have.running()
		if conn == nil {
			continue
		}
		each.Go(func() { out[i], _ = have.listOffers(ctx, conn, false) })
	}
	each.Wait()
	return slices.DeleteFunc(out, func(o Offers) bool { return o.Server == "" })
}

// listOffers returns the lists of a connection. A list that could not be read is empty, and asked
// for again; the error is that of the prompts. With now it reads lists that changed or failed at
// once, else at most once per relist. The end of ctx does not end the reading: the next caller gets it.
func (v *server) listOffers(ctx context.Context, conn *client.Conn, now bool) (Offers, error) {
	for {
		all, r, begins := v.offers.next(conn, now)
		if r == nil {
			return all, nil
		}
		if begins {
			go v.readOffers(r)
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return Offers{Server: v.set.Name}, context.Cause(ctx)
		}
		if begins || !now { // otherwise, they may have changed since it began
			return r.all, r.err
		}
	}
}

// readOffers carries out a reading. It ends with the connection at the latest.
func (v *server) readOffers(r *reading) {
	ctx := context.Background()
	r.all.Server = v.set.Name
	resources, err1 := r.of.Resources(ctx)
	templates, err2 := r.of.Templates(ctx)
	prompts, err3 := r.of.Prompts(ctx)
	if err1 == nil {
		r.all.Resources = slices.DeleteFunc(resources, func(r client.Resource) bool { return !isPlain(r.URI, maxAddress) })
	}
	if err2 == nil {
		r.all.Templates = slices.DeleteFunc(templates, func(t client.Template) bool { return !isPlain(t.URI, maxAddress) })
	}
	if err3 == nil {
		r.all.Prompts = slices.DeleteFunc(prompts, func(p client.Prompt) bool {
			return !isPlain(p.Name, maxPromptName) || slices.ContainsFunc(p.Arguments, func(a client.Argument) bool { return !isPlain(a.Name, maxPromptName) })
		})
	}
	r.err = err3
	v.offers.end(r, cmp.Or(err1, err2, err3) != nil)
}

// Limits of what a person is offered, in bytes.
const (
	maxAddress    = 2 << 10
	maxPromptName = 200
)

// isPlain reports whether a name can be shown and sent back unchanged.
func isPlain(s string, most int) bool {
	return s != "" && len(s) <= most && clip.VisibleLine(s, most) == s && !strings.ContainsAny(s, "\u200c\u200d")
}

// Has reports whether a server of that name is configured, usable or not.
func (s *Servers) Has(name string) bool {
	_, err := s.find(name)
	return err == nil
}

// Runs reports whether a server runs.
func (s *Servers) Runs(name string) bool {
	have, err := s.find(name)
	return err == nil && have.running() != nil
}

// Startable reports whether a server could be started: its configuration is valid, the folder is
// trusted, and the person did not stop it.
func (s *Servers) Startable(name string) bool {
	have, err := s.find(name)
	return err == nil && have.set.Problem == "" && !have.isStopped()
}

// Resting lists the servers that could be started, sorted by name.
func (s *Servers) Resting() (names []string) {
	servers, _ := s.refresh()
	for _, have := range servers {
		if have.set.Problem == "" && !have.isStopped() && have.running() == nil {
			names = append(names, have.set.Name)
		}
	}
	return names
}

// Read reads a resource of a server, which it starts if need be. Options.Updated is called when the
// server reports that the resource changed.
func (s *Servers) Read(ctx context.Context, name, uri string) ([]client.Part, error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	conn, err := have.conn(ctx)
	if err != nil {
		return nil, err
	}
	asked := conn.Subscribe(ctx, uri)
	parts, err := conn.Read(ctx, uri)
	if err != nil && asked { // there may be no such resource
		conn.Unsubscribe(uri)
	}
	return parts, have.signedOut(conn, err)
}

// Prompt fills in a prompt of a server, which it starts if need be.
func (s *Servers) Prompt(ctx context.Context, name, prompt string, args map[string]string) ([]client.Message, error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	conn, err := have.conn(ctx)
	if err != nil {
		return nil, err
	}
	messages, err := conn.Prompt(ctx, prompt, args)
	return messages, have.signedOut(conn, err)
}

// PromptOf returns a prompt as its server lists it. It starts the server if need be.
func (s *Servers) PromptOf(ctx context.Context, name, prompt string) (client.Prompt, error) {
	have, err := s.find(name)
	if err != nil {
		return client.Prompt{}, err
	}
	conn, err := have.conn(ctx)
	if err != nil {
		return client.Prompt{}, err
	}
	all, err := have.listOffers(ctx, conn, true)
	for _, p := range all.Prompts {
		if p.Name == prompt {
			return p, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return client.Prompt{}, context.Cause(ctx)
	case err != nil:
		return client.Prompt{}, fault.New(fault.Internal, "Could not list the prompts of the MCP server %s: %w", name, err)
	}
	return client.Prompt{}, fault.New(fault.NotFound, "the MCP server %s has no prompt %s", name, prompt)
}

// PromptValues asks a running server for values of a prompt's argument.
func (s *Servers) PromptValues(ctx context.Context, name, prompt, argument, typed string, others map[string]string) ([]string, error) {
	have, err := s.find(name)
	if err != nil {
		return nil, err
	}
	conn := have.running()
	if conn == nil {
		return nil, nil
	}
	values, err := conn.Values(ctx, prompt, argument, typed, others)
	return slices.DeleteFunc(values, func(v string) bool { return !isPlain(v, maxAddress) }), err
}

// updateEvery is the shortest time between two reports of changed resources.
const updateEvery = 2 * time.Second

// updated reports that a resource of the server changed: the first time at once, then at most once
// per updateEvery.
func (v *server) updated(string) {
	v.offers.mu.Lock()
	wait := updateEvery - time.Since(v.offers.told)
	telling := v.offers.telling
	v.offers.telling = true
	v.offers.mu.Unlock()
	if telling {
		return
	}
	time.AfterFunc(max(0, wait), func() {
		v.offers.mu.Lock()
		v.offers.telling, v.offers.told = false, time.Now()
		v.offers.mu.Unlock()
		if tell := v.of.with.Updated; tell != nil {
			tell()
		}
	})
}
