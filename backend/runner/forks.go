package runner

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/catalog"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/fork"
	"mutsumi/backend/kind"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
	"mutsumi/backend/slots"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/worktree/owned"
)

// Limits of forks.
const (
	maxDepth   = 5   // levels of agents below a root
	maxWaiting = 500 // agents that wait for a slot, in all
)

// forks starts the children of agents and waits for their reports.
type forks struct {
	*notebooks
	catalog  *catalog.Catalog
	access   *access.Access
	kinds    *role.Kinds
	settings *settings.Store
	slots    *slots.Limiter[*run]
	trees    *owned.Trees
	folder   string
	ctx      context.Context // ends when the workspace closes

	making *lock.Mutex // Options.Making

	mu      lock.Mutex
	changed chan struct{} // closed at the next change of any agent's state
}

// nextChange returns a channel that is closed at the next change of any agent's
// state.
func (fk *forks) nextChange() <-chan struct{} {
	fk.mu.Lock()
	defer fk.mu.Unlock()
	if fk.changed == nil {
		fk.changed = make(chan struct{})
	}
	return fk.changed
}

// publish reports that an agent's state changed: a run ended, or a file was removed.
func (fk *forks) publish() {
	fk.mu.Lock()
	defer fk.mu.Unlock()
	if fk.changed != nil {
		close(fk.changed)
		fk.changed = nil
	}
}

// forkFor returns the function with which the agent of a request starts others; nil if it is too
// deep in the tree or its kind may start none.
func (fk *forks) forkFor(s request.Spec) *builtin.Fork {
	if agenttree.Level(fk.registry.Agents(), s.Agent.ParentID, maxDepth) >= maxDepth || len(s.Role.Starts) == 0 {
		return nil
	}
	return &builtin.Fork{
		Kinds: s.Role.ChildKinds(),
		Sound: func(children []builtin.Child) error {
			meta, err := fk.registry.AgentAt(s.Path())
			if err != nil {
				return err
			}
			meta.Allowed = fk.access.Of(documents.Holder(s.Path(), meta)).Folders
			_, err = fk.plan(meta, children)
			return err
		},
		Start: func(ctx context.Context, env tool.Env, children []builtin.Child) tool.Result {
			return fk.start(ctx, s.Path(), env, children)
		},
	}
}

// planned is a child whose request was checked, so that it may start.
type planned struct {
	builtin.Child
	allowed         []string
	kind            kind.Kind
	provider, model string
}

// plan checks what the children ask for against what their parent may give them.
func (fk *forks) plan(parent notebook.MetaView, children []builtin.Child) ([]planned, error) {
	roots, err := fk.access.Open(fk.folder, parent.Allowed)
	if err != nil {
		return nil, err
	}
	kinds, err := fk.kinds.Load()
	if err != nil {
		return nil, err
	}
	out := make([]planned, len(children))
	for i, c := range children {
		p := planned{Child: c, allowed: parent.Allowed}
		if len(c.Allowed) > 0 {
			p.allowed, err = narrow(roots, c.Allowed)
		}
		if err == nil {
			p.kind, err = kinds.Child(parent.AgentType, c.Kind)
		}
		if err == nil {
			p.provider, p.model, err = fk.modelFor(parent, p)
		}
		if err == nil && c.Worktree {
			err = fk.trees.CanSplit()
		}
		if err != nil {
			return nil, fmt.Errorf("child %d (%s): %w", i+1, c.Name, err)
		}
		out[i] = p
	}
	if waiting := fk.slots.Waiting(); waiting+len(children) > maxWaiting {
		return nil, fault.New(fault.Invalid, "%d agents wait for their turn already, and at most %d may: wait until some are done", waiting, maxWaiting)
	}
	return out, nil
}

// narrow returns the folders of a child as absolute paths. Each must exist and be within what its
// parent may touch (roots).
func narrow(roots *files.Roots, uris []string) ([]string, error) {
	out := make([]string, len(uris))
	for i, uri := range uris {
		path, err := files.FromURI(uri)
		if err != nil {
			return nil, err
		}
		if !roots.Allowed(path) {
			_, err := roots.Path(path)
			return nil, err
		}
		if out[i], err = roots.Path(path); err != nil {
			return nil, fault.New(fault.NotFound, "%s is not there: make the folder first, or name the one that it goes into", uri)
		}
	}
	return out, nil
}

// modelFor returns the provider and model of a child: the requested ones, else none if its kind
// prefers a model, else its parent's.
func (fk *forks) modelFor(parent notebook.MetaView, c planned) (provider, model string, err error) {
	switch {
	case c.Model == "" && c.kind.Model != "":
		return "", "", nil
	case c.Model == "":
		return parent.Provider, parent.Model, nil
	}
	var known []string
	for _, p := range fk.settings.View().Providers {
		for _, m := range p.Models {
			if c.Model == p.ID+"/"+m.ID {
				return p.ID, m.ID, nil
			}
			if c.Model == m.ID && model == "" {
				provider, model = p.ID, m.ID
			}
			if known = append(known, p.ID+"/"+m.ID); m.ID == c.Model && p.ID == parent.Provider {
				return p.ID, m.ID, nil
			}
		}
	}
	if model != "" {
		return provider, model, nil
	}
	return "", "", fault.New(fault.NotFound, "there is no model %q in the settings: there are %s", c.Model, strings.Join(known[:min(len(known), 20)], ", "))
}

// start starts children of the agent that runs in the notebook at path, and waits
// for their reports.
func (fk *forks) start(ctx context.Context, path string, env tool.Env, children []builtin.Child) tool.Result {
	d, err := fk.doc(path)
	if err != nil {
		return tool.Error(err.Error())
	}
	f, err := fk.make(ctx, d, env.CallID, children)
	if err != nil {
		return tool.Error("No agent was started: " + err.Error())
	}
	return fk.join(ctx, d, f, env)
}

// make makes the children's notebooks, records the fork in the parent's notebook, and
// starts the children. On an error it removes what it made.
func (fk *forks) make(ctx context.Context, d *doc, call string, children []builtin.Child) (f fork.Record, err error) {
	fk.making.Lock()
	defer fk.making.Unlock()
	if ctx.Err() != nil {
		return f, ctx.Err() // the agent or its tree was stopped
	}
	meta, err := d.recordFor(call, &f)
	if err != nil {
		return f, err
	}
	meta.Allowed = fk.access.Of(documents.Holder(d.Path(), meta)).Folders
	plan, err := fk.plan(meta, children)
	if err != nil {
		return f, err
	}
	if fk.registry.Summary(d.Path()).File == "" { // a single call of the command line does not scan the folder
		fk.registry.FilesChanged(map[string]bool{d.Path(): true})
	}
	defer func() {
		if err != nil {
			fk.discard(d, f)
		}
	}()
	for _, p := range plan {
		made, err := fk.makeChild(ctx, meta, p)
		if err != nil {
			return f, err
		}
		f.Children = append(f.Children, made)
	}
	if err := d.keepFork(ctx, f); err != nil {
		return f, err
	}
	fk.beginAll(ctx, f, meta.UUID)
	return f, nil
}

// recordFor notes in f which call of the running answer starts children, and returns the metadata
// of the notebook.
func (d *doc) recordFor(call string, f *fork.Record) (meta notebook.MetaView, err error) {
	err = locked(d, func(tx *Tx) error {
		if tx.active == nil || call == "" {
			return fault.New(fault.Invalid, "other agents are started by an agent at work")
		}
		answer, err := tx.Notebook().Answer(tx.active.cell)
		if err != nil {
			return err
		}
		f.Cell, f.Call, f.RunMs = tx.active.cell, call, tx.active.startedMs
		f.Index = request.LastCalls(answer)
		meta = tx.Agent()
		return nil
	})
	return meta, err
}

// makeChild writes the notebook of a child, with its prompt but no answer.
func (fk *forks) makeChild(ctx context.Context, parent notebook.MetaView, p planned) (c fork.Child, err error) {
	c = fork.Child{UUID: newID(), Name: p.Name}
	nb := notebook.New(c.UUID, p.Name, parent.UUID, fk.access.Entries(p.allowed), time.Now())
	nb.SetModel(p.provider, p.model)
	if p.kind.Name != "" {
		nb.SetKind(p.kind.Name)
	}
	if _, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: p.Prompt}}); err != nil {
		return c, err
	}
	if err := fk.trees.Assign(ctx, parent.UUID, c.UUID, p.Child); err != nil {
		return c, err
	}
	if c.File, err = fk.catalog.Add(nb, c.UUID); err != nil {
		fk.trees.Unassign(c.UUID)
	}
	return c, err
}

// discard removes a fork whose children have not run, together with their notebooks and work trees.
func (fk *forks) discard(d *doc, f fork.Record) {
	gone := map[string]bool{}
	for _, c := range f.Children {
		if file, err := fk.registry.Resolve(c.File); err == nil && os.Remove(file) == nil {
			gone[c.File] = true
			fk.trees.Unassign(c.UUID)
		}
	}
	fk.registry.FilesChanged(gone)
	d.do(func(tx *Tx) { tx.children().keepForks(slices.DeleteFunc(fork.Records(tx.Notebook()), f.Same)) }) // the parent does not wait for a fork that failed
}

// runEnded releases the slot of a finished run, and wakes the parents that wait for
// its agent.
func (fk *forks) runEnded(r *run) {
	fk.slots.Remove(r)
	fk.publish()
}
