package runner

import (
	"context"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/documents"
	"mutsumi/backend/inspect"
	"mutsumi/backend/naming"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
	"mutsumi/backend/tool"
)

// read fills s for a request of a cell, see request.Spec.Read.
func (tx *Tx) read(s *request.Spec, cell string) error {
	s.Seen = tx.doc.seen
	return s.Read(tx.Tx, cell, tx.typed)
}

// NextSpec implements preview.Runs.
func (rn *Runner) NextSpec(path, cell, draft string, continues bool) (s request.Spec, err error) {
	err = rn.open(path, func(tx *Tx, nb *notebook.Document) error {
		if !slices.Contains(nb.CellIDs(), cell) {
			cell = "" // it exists only in the interface so far
		}
		if err := tx.read(&s, cell); err != nil {
			return err
		}
		s.Prompt = nb.ContentOf(cell, draft)
		s.Agent.Name = naming.ForPrompt(rn.registry, tx.Tx, s.Prompt)
		var err error
		if _, e, err := rn.with.Kinds.Resolve(nb.Meta()); err == nil {
			s.ByAgent = e.ProviderID == notebook.ACP
		}
		if s.Role, s.Endpoint, err = rn.with.Kinds.ResolveModel(nb.Meta()); err != nil && s.Role.Err == nil {
			s.Endpoint.Model.ID = "" // no model yet: the preview shows the context without one
		}
		if continues && cell != "" {
			return s.ReadAnswer(tx.Tx, cell)
		}
		return nil
	})
	return s, err
}

// config builds the request of a run and the tools of its agent. It reads files
// and may take a while.
func (rn *Runner) config(of *run, s request.Spec) (agent.Config, prompt.Result, error) {
	scratch, err := rn.with.Kept.Scratch(s.Agent.UUID)
	if err != nil {
		return agent.Config{}, prompt.Result{}, err
	}
	roots, places, err := rn.with.Access.Roots(documents.Holder(s.Path(), s.Agent), scratch)
	if err != nil {
		return agent.Config{}, prompt.Result{}, err
	}
	s.Agent.Allowed = places
	rn.requests.ReadyServers(of.ctx, &s)
	tools := rn.requests.Tools(roots, s)
	if of.continues {
		if err := rn.resolvePendingCalls(of, &s, tools, scratch); err != nil {
			return agent.Config{}, prompt.Result{}, err
		}
	}
	built, cfg, request, err := rn.built(of.ctx, of, &s, tools, scratch)
	if err != nil {
		return agent.Config{}, prompt.Result{}, err
	}
	cfg.Request.SkipWait, cfg.Env, cfg.StepLimit = of.skipWait, tool.Env{Scratch: scratch, Progress: of.progress.note}, rn.with.Settings.Preferences().StepLimit
	cfg.InputTokens, _ = request.Tokens()
	cfg.Approver = agents{rn}.Approver(s, roots, scratch, tools)
	fit := &fitter{doc: docOf(s.Live), run: of, spec: s, tools: tools, scratch: scratch, sent: s.Sent, fixed: fixedOf(request)}
	cfg.Fit = fit.fit
	return cfg, built, nil
}

// built builds the request of a run, and records it as the notebook's last one.
func (rn *Runner) built(ctx context.Context, of *run, s *request.Spec, tools *tool.Registry, scratch string) (prompt.Result, agent.Config, inspect.Request, error) {
	roots, places, err := rn.with.Access.Roots(documents.Holder(s.Path(), s.Agent), scratch)
	if err != nil {
		return prompt.Result{}, agent.Config{}, inspect.Request{}, err
	}
	s.Agent.Allowed = places
	built, err := rn.requests.Build(ctx, *s, roots, tools, scratch)
	if err != nil {
		return prompt.Result{}, agent.Config{}, inspect.Request{}, err
	}
	cfg, wire := rn.requests.Sending(*s, built, tools)
	request := inspect.Of(built, cfg, s.Cell, wire)
	record := request.Record(wire)
	last := rn.with.Kept.KeepRequest(s.Agent.UUID, record)
	of.cache.next(last, record)
	return built, cfg, request, nil
}
