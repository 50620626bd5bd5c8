package preview

import (
	"context"
	"encoding/json"

	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/inspect"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
	"mutsumi/backend/request"
)

// upcoming is the next request of a cell, as a run would send it.
type upcoming struct {
	request.Spec
	built   prompt.Result
	roots   *files.Roots
	wire    provider.Wire
	request inspect.Request
}

// next makes the next request of a cell as a preview: nothing is kept and no
// tool that changes anything runs. draft is the prompt as typed so far; a cell
// that the notebook does not have is a new prompt at the end. continues: the answer
// that the cell has is continued.
func (pv *Previewer) next(ctx context.Context, path, cell, draft string, continues bool) (u upcoming, err error) {
	if u.Spec, err = pv.with.Runs.NextSpec(path, cell, draft, continues); err != nil {
		return u, err
	}
	var scratch []string
	if dir := pv.with.Kept.ScratchThere(u.Agent.UUID); dir != "" {
		scratch = append(scratch, dir)
	}
	if u.roots, u.Agent.Allowed, err = pv.with.Access.Roots(documents.Holder(u.Path(), u.Agent), scratch...); err != nil {
		return u, err
	}
	tools := pv.with.Requests.Tools(u.roots, u.Spec)
	u.Answer = u.CompletedAnswer(tools)
	if u.built, err = pv.with.Requests.Preview(ctx, u.Spec, u.roots, tools); err != nil {
		return u, err
	}
	cfg, wire := pv.with.Requests.Sending(u.Spec, u.built, tools)
	u.wire, u.request = wire, inspect.Of(u.built, cfg, u.Cell, wire)
	return u, nil
}

// NextRequest is the next request of a cell, for the command line (SPEC 10).
// Messages are those of Request.
type NextRequest struct {
	Messages    []json.RawMessage `json:"messages"`
	AllowedURIs []string          `json:"allowedUris"`
	IsSubAgent  bool              `json:"isSubAgent"`
	Metadata    prompt.Saved      `json:"metadata"`
	Parts       []prompt.Part     `json:"parts"`
	Warnings    []prompt.Warning  `json:"warnings"`
	Request     json.RawMessage   `json:"request"` // the body, byte for byte
}

// Request makes the next request of a cell as a preview, for the command line.
// continues: the answer that the cell has is continued.
func (pv *Previewer) Request(ctx context.Context, path, cell, draft string, continues bool) (NextRequest, error) {
	u, err := pv.next(ctx, path, cell, draft, continues)
	if err != nil {
		return NextRequest{}, err
	}
	body, err := u.body()
	if err != nil {
		return NextRequest{}, err
	}
	n := NextRequest{
		AllowedURIs: u.built.AllowedURIs, IsSubAgent: u.built.IsSubAgent, Metadata: u.built.Metadata,
		Parts: u.request.Sized(u.wire), Warnings: append([]prompt.Warning{}, u.built.Warnings...), Request: body,
	}
	return n, json.Unmarshal(body, &struct {
		Messages *[]json.RawMessage `json:"messages"`
	}{&n.Messages})
}

// body is the text of the request as it goes over the wire.
func (u upcoming) body() ([]byte, error) {
	if u.wire == nil {
		return nil, fault.New(fault.Invalid, "Could not write the request: there is no model to send it to. Choose a model.")
	}
	return u.wire.Body(u.request.Sent)
}
