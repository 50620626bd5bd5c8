// Package serve is the program as an MCP server (SPEC 13.5). It offers the notebooks of a folder to
// another program as resources, and tools that search them, read them and run prompts in them.
// Package cli starts it.
//
// It decides nothing about approvals: agents get the tools with which the folder was opened
// (request.Policy). If a call still needs a person, it is refused, because nobody is there, and the
// tool's result names it.
package serve

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/lock"
	"mutsumi/backend/request"
	"mutsumi/backend/version"
	"mutsumi/backend/workspace"
)

// Options say what to serve.
type Options struct {
	Workspace *workspace.Workspace
	Policy    request.Policy // that the workspace was opened with
	Model     string         // that it was opened with; "": each notebook's own
}

// server serves one client.
type server struct {
	Options
	ctx context.Context // ends every run
	mcp *mcp.Server

	turns lock.Guarded[map[string]chan struct{}] // by uuid: see turn
}

const instructions = "Mutsumi keeps every agent, with all its prompts and answers, in a notebook of this folder. " +
	"`search` finds text in the notebooks, `read` gives a notebook or one cell of it as Markdown, `run` gives an agent a prompt and returns its answer. " +
	"A run is not offered tools that need a person's approval, unless whoever started this server allowed them; what was refused is listed in the result."

// Serve speaks the protocol on in and out until in ends or ctx does.
func Serve(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{Options: o, ctx: ctx}
	s.turns.Do(func(turns *map[string]chan struct{}) { *turns = map[string]chan struct{}{} })
	subscribe := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	unsubscribe := func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "mutsumi", Title: "Mutsumi: " + o.Workspace.Name(), Version: version.Number}, &mcp.ServerOptions{
		Instructions:     instructions,
		SubscribeHandler: subscribe, UnsubscribeHandler: unsubscribe,
		Capabilities: &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true}, Tools: &mcp.ToolCapabilities{}},
	})
	s.addTools()
	followed := make(chan struct{})
	ready := make(chan struct{})
	go func() {
		defer close(followed)
		s.follow(ready)
	}()
	<-ready
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: &ending{in, cancel}, Writer: out})
	cancel()
	<-followed
	if errors.Is(err, context.Canceled) { // a signal, or the client left
		return nil
	}
	return err
}

// ending calls ended at the end of its input: whoever started the program is gone.
type ending struct {
	io.ReadCloser
	ended func()
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil {
		e.ended()
	}
	return n, err
}
