package preview

import (
	"context"
	"encoding/json"
	"sync"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/inspect"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
	"mutsumi/backend/request"
)

// upcoming is the next request of a cell with all of its sources.
type upcoming struct {
	request.Spec
	built   prompt.Result
	roots   *files.Roots
	wire    provider.Wire
	request inspect.Request
}

// of builds the request of a spec. It saves nothing and runs no tool that changes
// something.
func (pv *Previewer) of(ctx context.Context, spec request.Spec) (upcoming, error) {
	u, draft, err := pv.draft(ctx, spec)
	if err == nil {
		u.request = draft.Request(u.Cell)
	}
	return u, err
}

// whole is of with the body of the request, nil if there is no model to send it to. The body is
// written while the parts are computed: both only read the build.
func (pv *Previewer) whole(ctx context.Context, spec request.Spec) (u upcoming, body []byte, err error) {
	u, draft, err := pv.draft(ctx, spec)
	if err != nil {
		return u, nil, err
	}
	var unwritten error
	var beside sync.WaitGroup
	if u.wire != nil {
		beside.Go(func() { body, unwritten = bodyOf(draft.Sent, u.wire) })
	}
	u.request = draft.Request(u.Cell)
	beside.Wait()
	return u, body, unwritten
}

// draft is of without the parts of the request.
func (pv *Previewer) draft(ctx context.Context, spec request.Spec) (u upcoming, draft inspect.Draft, err error) {
	u.Spec = spec
	var scratch []string
	if dir := pv.with.Kept.ScratchThere(u.Agent.UUID); dir != "" {
		scratch = append(scratch, dir)
	}
	if u.roots, u.Agent.Allowed, err = pv.with.Access.Roots(documents.Holder(u.Path(), u.Agent), scratch...); err != nil {
		return u, draft, err
	}
	tools := pv.with.Requests.Tools(u.roots, u.Spec)
	u.Answer = u.CompletedAnswer(tools)
	if u.built, err = pv.with.Requests.Preview(ctx, u.Spec, u.roots, tools); err != nil {
		return u, draft, err
	}
	cfg, wire := pv.with.Requests.Sending(u.Spec, u.built, tools)
	u.wire = wire
	return u, inspect.DraftOf(u.built, cfg, wire), nil
}

// NextRequest is the next request of a cell, for the command line (SPEC 10). Messages are those of
// Request. WriteJSON writes it.
type NextRequest struct {
	Messages    [][]byte         `json:"-"` // each as JSON
	AllowedURIs []string         `json:"allowedUris"`
	IsSubAgent  bool             `json:"isSubAgent"`
	Metadata    prompt.Saved     `json:"metadata"`
	Parts       []prompt.Part    `json:"parts"`
	Warnings    []prompt.Warning `json:"warnings"`
	Request     json.RawMessage  `json:"request"` // the body, byte for byte

	Sent       provider.Request `json:"-"` // the same, independently of the protocol
	Parameters []Parameter      `json:"-"` // see Preview
}

// Request builds the next request of a cell for the command line, see Runs.NextSpec. As a
// run would, it starts the MCP servers that the agent may use.
func (pv *Previewer) Request(ctx context.Context, path, cell, draft string, continues bool) (NextRequest, error) {
	spec, err := pv.with.Runs.NextSpec(path, cell, draft, continues)
	if err != nil {
		return NextRequest{}, err
	}
	pv.with.Requests.StartServers(ctx, spec)
	u, body, err := pv.whole(ctx, spec)
	if err == nil && body == nil {
		err = noModel()
	}
	if err != nil {
		return NextRequest{}, err
	}
	n := NextRequest{
		AllowedURIs: u.built.AllowedURIs, IsSubAgent: u.built.IsSubAgent, Metadata: u.built.Metadata,
		Parts: u.request.Sized(u.wire), Warnings: append([]prompt.Warning{}, u.built.Warnings...), Request: body,
	}
	n.Sent = u.request.Sent
	n.Messages, n.Parameters, err = outlineOf(body)
	return n, err
}

// outlineOf returns the messages of a body as they are in it, whichever protocol it is of, and its
// members other than tools and messages, in order.
func outlineOf(body []byte) (messages [][]byte, parameters []Parameter, err error) {
	parameters = []Parameter{}
	err = jsontext.Outline(body, func(name string, value []byte, elements [][]byte) {
		switch name {
		case "messages", "input":
			messages = elements
		case "tools", "system", "instructions":
		default:
			parameters = append(parameters, Parameter{name, string(value)})
		}
	})
	return messages, parameters, err
}

// bodyOf is the body of a request that wire sends.
func bodyOf(sent provider.Request, wire provider.Wire) ([]byte, error) {
	if wire == nil {
		return nil, noModel()
	}
	return wire.Body(sent)
}

func noModel() error {
	return fault.New(fault.Invalid, "Could not write the request: there is no model to send it to. Choose a model.")
}
