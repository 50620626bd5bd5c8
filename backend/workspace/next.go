package workspace

import (
	"context"
	"encoding/json"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/inspect"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
)

// upcoming is the next request of a cell, as a run would send it.
type upcoming struct {
	job
	built   prompt.Result
	roots   *files.Roots
	wire    provider.Wire
	request inspect.Request
}

// next makes the next request of a cell as a preview: nothing is kept and no
// tool that changes anything runs. draft is the prompt as typed so far; a cell
// that the notebook does not have is a new prompt at the end. goesOn: the answer
// that the cell has is gone on with.
func (in *inspection) next(ctx context.Context, path, cell, draft string, goesOn bool) (u upcoming, err error) {
	j := &u.job
	err = in.with(path, func(tx *Tx, nb *notebook.Document) error {
		if !slices.Contains(nb.CellIDs(), cell) {
			cell = "" // only the interface has it so far
		}
		if err := j.take(tx, nb, cell); err != nil {
			return err
		}
		j.prompt = nb.ContentOf(cell, draft)
		j.meta.Name = tx.naming().nameFor(j.prompt)
		if j.choose(in.kinds, nb.Meta()) != nil && j.role.err == nil {
			j.endpoint.Model.ID = "" // no model yet: the context can be seen all the same
		}
		if goesOn && cell != "" {
			j.goesOn = true
			err = j.takeAnswer(tx, cell)
		}
		return err
	})
	if err != nil {
		return u, err
	}
	var scratch []string
	if dir := in.kept.ScratchThere(j.meta.UUID); dir != "" {
		scratch = append(scratch, dir)
	}
	if u.roots, j.meta.Allowed, err = in.access.Roots(accessOf(j.path(), j.meta), scratch...); err != nil {
		return u, err
	}
	tools := in.requests.toolsFor(u.roots, *j)
	j.answer = j.answered(tools)
	if u.built, err = in.requests.preview(ctx, *j, u.roots, tools); err != nil {
		return u, err
	}
	cfg, wire := in.requests.sending(*j, u.built, tools)
	u.wire, u.request = wire, inspect.Of(u.built, cfg, j.cell, wire)
	return u, nil
}

// sending is what a run of a build sends, and the client that it sends it by.
func (w *Workspace) sending(j job, built prompt.Result, tools *tool.Registry) (agent.Config, provider.Wire) {
	cfg := agent.Config{
		Request:  requestFor(j.endpoint.Model),
		Messages: append(slices.Clip(built.Messages), notebook.Sendable(j.answer)...),
		Index:    len(j.answer),
		NoImages: !j.endpoint.Model.Images,
		Tokens:   w.counter(j.endpoint.Model.ID),
	}
	if w.tools != NoTools && j.endpoint.Model.Tools {
		cfg.Tools = tools
	}
	if w.connect == nil {
		return cfg, nil
	}
	cfg.Model = w.connect(j.endpoint).Model
	wire, _ := cfg.Model.(provider.Wire)
	return cfg, wire
}

// requestFor begins a request to a model with what the settings say of it.
func requestFor(m settings.ModelView) provider.Request {
	return provider.Request{Model: m.ID, MaxTokens: m.MaxOutput, Temperature: m.Temperature, ReasoningEffort: m.Effort}
}

// answered gives an answer that goes on with the results that its last calls
// will have got before anything is sent.
func (j *job) answered(tools *tool.Registry) []chat.Message {
	answer := j.answer
	at := lastCalls(answer)
	if at < 0 {
		return answer
	}
	behind := answer[at+1:]
	if slices.ContainsFunc(behind, func(m chat.Message) bool { return m.Role != chat.Tool }) {
		return answer // the agent went on from there
	}
	answer = slices.Clip(answer)
	for _, call := range answer[at].ToolCalls {
		if !slices.ContainsFunc(behind, func(m chat.Message) bool { return m.ToolCallID == call.ID }) {
			answer = append(answer, chat.Message{Role: chat.Tool, ToolCallID: call.ID, Name: call.Function.Name, Content: chat.Text(unfinished(call, tools, j.began(at, call)))})
		}
	}
	return answer
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
// goesOn: the answer that the cell has is gone on with.
func (in *inspection) Request(ctx context.Context, path, cell, draft string, goesOn bool) (NextRequest, error) {
	u, err := in.next(ctx, path, cell, draft, goesOn)
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
