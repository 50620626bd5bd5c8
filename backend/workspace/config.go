package workspace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// job is what a run needs of its notebook, taken under the lock so that the
// rest can go without it.
type job struct {
	meta     notebook.MetaView
	macros   json.RawMessage
	items    json.RawMessage
	endpoint settings.Endpoint
	earlier  []chat.Message // before the prompt
	prompt   chat.Message
	cell     string
	answer   []chat.Message // what came already, when the run goes on with it
	seen     *builtin.Seen
}

// take reads the history of a run's cell.
func (j *job) take(nb *notebook.Document, r *run) error {
	earlier, err := nb.History(r.cell, false)
	if err != nil {
		return err
	}
	last := len(earlier) - 1
	j.earlier, j.prompt, j.cell = earlier[:last], earlier[last], r.cell
	j.macros, j.items = nb.MacroContext(), nb.ContextItems()
	if r.goesOn {
		whole, err := nb.History(r.cell, true)
		if err != nil {
			return err
		}
		j.answer = whole[last+1:]
	}
	return nil
}

// config builds what is sent and what the agent may use. It reads files and
// may take a while.
func (w *Workspace) config(r *run, j job) (agent.Config, prompt.Saved, error) {
	scratch, err := scratchFolder(j.meta.UUID)
	if err != nil {
		return agent.Config{}, prompt.Saved{}, err
	}
	roots, err := files.New(w.folder, append(slices.Clone(j.meta.Allowed), scratch))
	if err != nil {
		return agent.Config{}, prompt.Saved{}, err
	}
	tools, err := w.toolsFor(roots, j)
	if err != nil {
		return agent.Config{}, prompt.Saved{}, err
	}
	built, err := w.build(r, j, roots)
	if err != nil {
		return agent.Config{}, prompt.Saved{}, err
	}
	return agent.Config{
		Model:    w.connect(j.endpoint).Model,
		Request:  requestFor(r, j),
		Messages: notebook.Sendable(append(built.Messages, j.answer...)),
		Index:    len(j.answer),
		Tools:    tools, Env: tool.Env{Scratch: scratch},
		StepLimit: w.settings.View().Preferences.StepLimit,
		NoImages:  !j.endpoint.Model.Images,
	}, built.Metadata, nil
}

// build makes the messages of a run.
func (w *Workspace) build(r *run, j job, roots *files.Roots) (prompt.Result, error) {
	in := prompt.Input{
		Workspace: w.folder, Roots: roots, Prompt: j.prompt.Content, Cell: j.cell,
		Meta:  prompt.Meta{Name: j.meta.Name, ParentID: j.meta.ParentID, AllowedURIs: j.meta.Allowed},
		Model: j.endpoint.Model.ID, RemoteImages: w.settings.View().Preferences.RemoteImages,
		Now: time.Now(), OS: runtime.GOOS, Cache: w.cache,
	}
	for _, m := range notebook.Sendable(j.earlier) {
		in.History = append(in.History, prompt.Turn{Message: m})
	}
	if j.macros != nil {
		if err := json.Unmarshal(j.macros, &in.Meta.MacroContext); err != nil {
			return prompt.Result{}, fault.New(fault.Invalid, "macroContext of %s holds something else than names and texts: %w", j.meta.Name, err)
		}
	}
	return prompt.Build(r.ctx, in)
}

func (w *Workspace) toolsFor(roots *files.Roots, j job) (*tool.Registry, error) {
	if w.tools == NoTools || !j.endpoint.Model.Tools {
		return nil, nil
	}
	return tool.NewRegistry(builtin.Reading(builtin.Options{
		Roots: roots, Seen: j.seen, Child: j.meta.ParentID != "",
		Models: func() []builtin.Model { return w.models(j.endpoint) },
		Image:  imagePart,
	})...), nil
}

// imagePart makes an image that an agent reads fit for its model.
func imagePart(name string, data []byte) (chat.Part, string, error) {
	p, err := media.Prepare(data, name, media.DefaultLimits)
	if err != nil {
		return chat.Part{}, "", err
	}
	part := chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: p.DataURI(), Detail: "auto"}}
	return part, strings.TrimSpace(fmt.Sprintf("%dx%d %s", p.W, p.H, p.Note)), nil
}

// models lists what the person has set up, for the agent to choose from.
func (w *Workspace) models(current settings.Endpoint) []builtin.Model {
	var all []builtin.Model
	for _, p := range w.settings.View().Providers {
		for _, m := range p.Models {
			all = append(all, builtin.Model{
				Provider: p.ID, ID: m.ID, ContextTokens: m.ContextTokens, Images: m.Images, Tools: m.Tools,
				Reasoning: m.Reasoning, Current: p.ID == current.ProviderID && m.ID == current.Model.ID,
			})
		}
	}
	return all
}

// scratchFolder is where output goes that is too long for a model: a folder of
// the notebook's own, which the agent may read.
func scratchFolder(notebook string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "mutsumi", "output", filepath.Base(filepath.Clean("/"+notebook)))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for long output: %w", err)
	}
	return dir, nil
}

// requestFor is the template of the run's requests.
func requestFor(r *run, j job) provider.Request {
	return provider.Request{Model: j.endpoint.Model.ID, SkipWait: r.skipWait}
}
