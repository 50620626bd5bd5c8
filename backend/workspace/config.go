package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/files"
	"mutsumi/backend/inspect"
	"mutsumi/backend/lock"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/settings"
	"mutsumi/backend/tokens"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// job is what a build and a run need of their notebook, taken under the lock
// so that the rest can go without it.
type job struct {
	doc         *doc // nil: of no notebook
	meta        notebook.MetaView
	told        string // what requests call the agent, where that is not its name
	macros      json.RawMessage
	items       json.RawMessage
	off         json.RawMessage
	place       prompt.Placement
	role        role
	endpoint    settings.Endpoint
	turns       []notebook.HistoryMessage // before the prompt
	prompt      chat.Content
	cell        string
	foreign     func(call string) bool // calls of the prompt that the person did not type here
	answer      []chat.Message         // what came already, when the run goes on with it
	sent        json.RawMessage        // what was kept of the prompt when it ran
	goesOn      bool
	started     startedCall // of the answer, before it goes on
	effectsKept bool        // started says which call had begun
	seen        *builtin.Seen
	turn        func() *checkpoint.Recorder // of the run under way; nil: nothing is recorded
}

// path is that of the notebook now: it may be renamed while its agent works.
func (j job) path() string { return j.doc.Path() }

// Keys of what is kept in a notebook for prompt.Build.
const (
	keyMacros = "macroContext"
	keyItems  = "contextItems"
	keyOff    = "contextOff"
	keyPlace  = "contextPlacement"
	keySent   = "sent" // in the metadata of a prompt
)

// take reads what stands before a cell's prompt, and the prompt. Cell "" means
// a prompt behind everything.
func (j *job) take(tx *Tx, nb *notebook.Document, cell string) (err error) {
	at := cell
	if ids := nb.CellIDs(); at == "" && len(ids) > 0 {
		at = ids[len(ids)-1]
	}
	if at != "" {
		if j.turns, err = nb.HistoryMessages(at, keySent); err != nil {
			return err
		}
	}
	if n := len(j.turns) - 1; cell != "" && n >= 0 {
		j.prompt, j.sent, j.turns = j.turns[n].Message.Content, j.turns[n].Sent, j.turns[:n]
	} else if at != "" {
		messages, err := nb.Answer(at)
		if err != nil {
			return err
		}
		for _, m := range messages {
			j.turns = append(j.turns, notebook.HistoryMessage{Cell: at, Message: m})
		}
	}
	stored := ""
	if cell != "" {
		stored = strings.Join(textsOf(j.prompt), "\n")
	}
	j.doc, j.cell, j.foreign = tx.doc, cell, tx.typed.ForeignIn(cell, stored)
	j.meta, j.told = tx.Agent(), toldName(nb)
	j.macros, j.items, j.off = nb.Raw(keyMacros), nb.Raw(keyItems), nb.Raw(keyOff)
	if raw := nb.Raw(keyPlace); raw != nil {
		json.Unmarshal(raw, &j.place) // another type is no placement: the default
	}
	j.seen = tx.doc.seen
	return nil
}

// config builds what is sent and what the agent may use. It reads files and
// may take a while.
func (w *Workspace) config(r *run, j job) (agent.Config, prompt.Result, error) {
	scratch, err := w.kept.Scratch(j.meta.UUID)
	if err != nil {
		return agent.Config{}, prompt.Result{}, err
	}
	roots, places, err := w.access.Roots(accessOf(j.path(), j.meta), scratch)
	if err != nil {
		return agent.Config{}, prompt.Result{}, err
	}
	j.meta.Allowed = places
	tools := w.toolsFor(roots, j)
	if r.goesOn {
		if err := w.settle(r, &j, tools, scratch); err != nil {
			return agent.Config{}, prompt.Result{}, err
		}
	}
	built, err := w.build(r.ctx, j, roots, tools, scratch)
	if err != nil {
		return agent.Config{}, prompt.Result{}, err
	}
	cfg, wire := w.sending(j, built, tools)
	cfg.Request.SkipWait, cfg.Env, cfg.StepLimit = r.skipWait, tool.Env{Scratch: scratch}, w.settings.Preferences().StepLimit
	request := inspect.Of(built, cfg, j.cell, wire)
	cfg.InputTokens, _ = request.Tokens()
	w.kept.KeepRequest(j.meta.UUID, request.Record(wire))
	cfg.Approver = w.approverFor(j, roots, scratch, tools)
	return cfg, built, nil
}

// preview makes the messages of a request that is not sent: no tool runs that
// changes anything, and none twice.
func (w *Workspace) preview(ctx context.Context, j job, roots *files.Roots, tools *tool.Registry) (prompt.Result, error) {
	return w.buildWith(ctx, j, roots, j.caller(caller{tools: tools}), true)
}

// build makes the messages of a request that is sent.
func (w *Workspace) build(ctx context.Context, j job, roots *files.Roots, tools *tool.Registry, scratch string) (prompt.Result, error) {
	return w.buildWith(ctx, j, roots, j.caller(caller{tools: tools, approver: w.approverFor(j, roots, scratch, tools), scratch: scratch}), false)
}

func (w *Workspace) buildWith(ctx context.Context, j job, roots *files.Roots, tools assemble.ToolCaller, preview bool) (prompt.Result, error) {
	found, err := w.folderRules.list()
	if err != nil {
		return prompt.Result{}, err
	}
	found = j.role.rules(found)
	asks := false
	if c, ok := tools.(interface{ has(string) bool }); ok {
		asks = c.has(builtin.AskUser)
	}
	trust := w.trust.Standing()
	in := prompt.Input{
		Workspace: roots.Workspace(), Roots: roots, Prompt: j.prompt, Cell: j.cell, Foreign: j.isForeign(), FromAgent: j.meta.ParentID != "",
		Meta: prompt.Meta{Name: cmp.Or(j.told, j.meta.Name), ParentID: j.meta.ParentID, AllowedURIs: j.meta.Allowed},
		Role: prompt.Role{Name: j.role.Name, Text: j.role.Role, Source: j.role.Source}, Asks: asks,
		Rules: found, Trusted: trust.Trusted, Held: trust.Held(), Preview: preview, Tools: tools, Placement: j.place,
		RemoteImages: w.settings.Preferences().RemoteImages, Images: w.images.pictures, Folder: w.folder,
		Model: j.endpoint.Model.ID, Tokens: w.counter(j.endpoint.Model.ID),
		Now: time.Now(), OS: runtime.GOOS, Cache: w.cache,
		History: historyOf(j.turns),
	}
	odd := append(j.role.said(), in.Meta.ReadMeta(j.macros, j.items, j.off)...)
	built, err := prompt.Build(ctx, in)
	built.Warnings = append(odd, built.Warnings...)
	return built, err
}

// historyOf repairs the turns for sending (SPEC 1.5) and keeps their cells:
// prompts and notes stay in order and number, what follows one is its answer.
func historyOf(turns []notebook.HistoryMessage) []prompt.HistoryMessage {
	messages := make([]chat.Message, len(turns))
	var opening []notebook.HistoryMessage
	for i, t := range turns {
		messages[i] = t.Message
		if opens(t.Message) {
			opening = append(opening, t)
		}
	}
	out := make([]prompt.HistoryMessage, 0, len(turns))
	cell, next := "", 0
	if len(turns) > 0 {
		cell = turns[0].Cell
	}
	for _, m := range notebook.Sendable(messages) {
		turn := prompt.HistoryMessage{Message: m}
		if opens(m) && next < len(opening) {
			cell, turn.Plain = opening[next].Cell, opening[next].Internal
			json.Unmarshal(opening[next].Sent, &turn.Sent) // what is not ours counts as nothing kept
			next++
		}
		turn.Cell = cell
		out = append(out, turn)
	}
	return out
}

func opens(m chat.Message) bool { return m.Role == chat.User || m.Role == chat.System }

// caller runs the tools that stand in prompts and files.
type caller struct {
	tools    *tool.Registry
	approver agent.Approver // of calls that change something; nil: nobody
	scratch  string
}

func (c caller) has(name string) bool {
	_, ok := c.tools.Get(name)
	return ok
}

// Reads says whether there is such a tool and whether it changes nothing.
func (c caller) Reads(name string) (reads, known bool) {
	t, ok := c.tools.Get(name)
	if _, lacks := c.tools.Lacks(name); !ok && lacks || ok && builtin.Talks(t.Name()) {
		return true, true // Call says why not
	}
	return ok && t.Reads(), ok
}

// Call runs a tool; its failure is an error.
func (c caller) Call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	if t, ok := c.tools.Get(name); ok && builtin.Talks(t.Name()) {
		return "", errors.New("an agent calls it while it works: it cannot stand in a text")
	}
	return c.callIn(ctx, name, args)
}

// tokenCounters count tokens, for each model as it does.
type tokenCounters struct {
	mu      lock.Mutex
	byModel map[string]*tokens.Counter
}

// counter counts tokens for a model; making one takes long, so they are kept.
func (tc *tokenCounters) counter(model string) *tokens.Counter {
	tc.mu.Lock()
	defer tc.mu.Unlock()
	c := tc.byModel[model]
	if c == nil {
		c = tokens.NewCounter(model)
		tc.byModel[model] = c
	}
	return c
}

// toolsFor makes the tools of a notebook's agent.
func (w *Workspace) toolsFor(roots *files.Roots, j job) *tool.Registry {
	offered := builtin.Reading
	if w.tools == AskTools || w.tools == EveryTool {
		offered = builtin.All
	}
	o := builtin.Options{
		Roots: roots, Seen: j.seen, Child: j.meta.ParentID != "",
		Models: func() []builtin.Model { return w.models(j.endpoint) },
		Image:  imagePart,
		Shell:  w.shellFor(j.meta.UUID),
		Fork:   w.forks.forkFor(j),
	}
	if w.tools == AskTools { // somebody is there
		o.Ask, o.Consult = w.asker(j), w.consultation.askAgent(j)
	}
	return j.role.only(filehistory.Record(offered(o), roots, j.turn))
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

// textsOf gives the texts of a content, without its images.
func textsOf(c chat.Content) []string {
	if c.Parts == nil {
		return []string{c.Text}
	}
	var out []string
	for _, p := range c.Parts {
		out = append(out, p.Text)
	}
	return out
}
