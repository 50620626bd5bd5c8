// Package request builds what is sent to a model for an agent: in a run, in a
// preview, or when another agent consults it. A Spec is read from the notebook under
// its lock; a Maker turns it into messages and tools without the lock.
package request

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/agent"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/commands"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/files"
	"mutsumi/backend/folderrules"
	"mutsumi/backend/halves"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/offer"
	"mutsumi/backend/mcp/toolname"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/promptcache"
	"mutsumi/backend/provider"
	"mutsumi/backend/rules"
	"mutsumi/backend/settings"
	"mutsumi/backend/tokens"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Policy selects the tools that a model is offered.
type Policy string

const (
	NoTools   Policy = "none"
	ReadTools Policy = "reads"
	AskTools  Policy = "ask" // all tools; those that change something need approval
	EveryTool Policy = "all" // all tools without approval: the command line's --approve all
)

// Known reports whether p is one of the policies.
func (p Policy) Known() bool {
	return p == NoTools || p == ReadTools || p == AskTools || p == EveryTool
}

// Withholds reports whether a tool is not offered because its calls need a person. name is as in a
// call or a prompt.
func (p Policy) Withholds(name string) bool {
	name = tool.Bare(name)
	switch p {
	case AskTools:
		return false
	case EveryTool:
		return builtin.Asks(name)
	}
	return builtin.Asks(name) || builtin.Changes(name) || toolname.FromServer(name) || name == toolname.Call
}

// Connection is a connection to a provider: the model to stream from, and the list of
// the provider's models.
type Connection struct {
	Model agent.Model
	List  func(context.Context) ([]string, error)
}

// Agents provides the tools of an agent that need other agents or the person.
type Agents interface {
	// Fork returns how the agent starts others; nil: it may not.
	Fork(s Spec) *builtin.Fork
	// Ask returns how the agent asks the person.
	Ask(s Spec) func(context.Context, tool.Env, builtin.Question) (builtin.Answer, error)
	// Consult returns how the agent asks another agent of its tree.
	Consult(s Spec) func(context.Context, tool.Env, builtin.Consult) tool.Result
	// Compact returns how the agent has its conversation compacted; nil: it cannot.
	Compact(s Spec) func(ctx context.Context, note string) (string, error)
	// Approver returns who decides about the agent's calls that change something; nil: nobody can
	// be asked, and only reading calls run.
	Approver(s Spec, roots *files.Roots, scratch string, tools *tool.Registry) agent.Approver
}

// Options configure a Maker.
type Options struct {
	Folder   string // absolute
	Settings *settings.Store
	Connect  func(settings.Endpoint) Connection // nil: no model can be asked
	Tools    Policy
	Trust    *access.Trust
	Rules    *folderrules.Rules
	Commands *commands.Commands
	Images   *media.Cache
	Files    *assemble.Cache // of files read for prompts
	Counters *tokens.Counters
	Agents   Agents
	// OwnSkills is the folder of the person's skills; "" if there is none.
	OwnSkills string
	Access    *access.Access
	Servers   *mcp.Servers // the servers whose tools the agents get; nil: none
	Kept      *agentfiles.Store
}

// Maker builds the requests of the agents of a folder. It is safe for concurrent
// use.
type Maker struct {
	with   Options
	offers *offer.Offers // nil: agents are offered no tools of MCP servers

	prompts gavePrompts
}

// New returns a Maker.
func New(o Options) *Maker {
	m := &Maker{with: o}
	if o.Servers != nil && (o.Tools == AskTools || o.Tools == EveryTool) { // each call of one needs approval
		m.offers = offer.New(o.Servers)
	}
	return m
}

// Preview builds the messages of a request that is not sent. Tools that change
// something do not run, and no tool runs twice.
func (m *Maker) Preview(ctx context.Context, s Spec, roots *files.Roots, tools *tool.Registry) (prompt.Result, error) {
	return m.build(ctx, s, roots, s.caller(Caller{Tools: tools}), true)
}

// Build builds the messages of a request that is sent. It reads files, may run tools
// and wait for approval.
func (m *Maker) Build(ctx context.Context, s Spec, roots *files.Roots, tools *tool.Registry, scratch string) (prompt.Result, error) {
	by := m.with.Agents.Approver(s, roots, scratch, tools)
	return m.build(ctx, s, roots, s.caller(Caller{Tools: tools, approver: by, scratch: scratch}), false)
}

func (m *Maker) build(ctx context.Context, s Spec, roots *files.Roots, tools assemble.ToolCaller, preview bool) (prompt.Result, error) {
	list := m.with.Rules.List
	if s.ByAgent {
		list = m.with.Rules.Own
	}
	found, err := list()
	if err != nil {
		return prompt.Result{}, err
	}
	found = s.Role.RulesOf(found)
	asks, uses := false, false
	if c, ok := tools.(interface{ has(string) bool }); ok {
		asks, uses = c.has(builtin.AskUser), c.has(builtin.UseSkill) && m.with.Tools != NoTools && s.Endpoint.Model.Tools
	}
	trust := m.with.Trust.Standing()
	offered, read := m.skillsOf(s, trust.Trusted)
	model := s.Endpoint.Model.ID
	in := prompt.Input{
		Workspace: roots.Workspace(), Roots: roots, Prompt: s.Prompt, Cell: s.Cell, Foreign: s.isForeign(), FromAgent: s.Agent.ParentID != "",
		Meta:    prompt.Meta{Name: cmp.Or(s.name, s.Agent.Name), ParentID: s.Agent.ParentID, AllowedURIs: s.Agent.Allowed},
		Command: m.commandOf(s),
		Nested: func(touched []string, counts func(string) bool, joined []string) []rules.Rule {
			if s.ByAgent {
				return nil
			}
			return s.Role.RulesOf(m.with.Rules.Nested(touched, counts, joined, found))
		},
		Role: prompt.Role{Name: s.Role.Name, Text: s.Role.Role, Source: s.Role.Source}, Asks: asks,
		Rules: found, Trusted: trust.Trusted, Held: trust.Held(), Preview: preview, Tools: tools, Placement: s.placement,
		RemoteImages: m.with.Settings.Preferences().RemoteImages, Images: m.with.Images, Folder: m.with.Folder,
		Documents: DocumentsOf(s.Endpoint),
		Model:     model, Tokens: m.with.Counters.For(model), OnlyMessages: s.OnlyMessages,
		Now: time.Now(), OS: runtime.GOOS, Cache: m.with.Files,
		History:      historyOf(s.Turns),
		ServerPrompt: m.serverPromptOf(ctx, s, preview),
		Resources:    m.resourcesOf(s, preview), TypedBefore: s.TypedBefore,
		Skills: offered, UsesSkills: uses, SkillTexts: read, Found: m.foundAgain(s),
	}
	odd := append(s.Role.Warnings(), in.Meta.ReadMeta(s.macros, s.items, s.off)...)
	built, err := prompt.Build(ctx, in)
	built.Warnings = append(odd, built.Warnings...)
	return built, err
}

// Sending returns what a run sends of a build, and the client that writes it; nil if no model can
// be asked.
func (m *Maker) Sending(s Spec, built prompt.Result, tools *tool.Registry) (agent.Config, provider.Wire) {
	cfg := agent.Config{
		Request:  For(s.Endpoint.Model),
		Messages: append(slices.Clip(built.Messages), notebook.Sendable(s.Answer)...),
		Index:    len(s.Answer),
		NoImages: !s.Endpoint.Model.Images, Documents: DocumentsOf(s.Endpoint),
		Tokens: m.with.Counters.For(s.Endpoint.Model.ID),
	}
	cfg.Request.CacheKey, cfg.Request.MarkCache = s.Agent.UUID, CacheOf(s.Endpoint).Kind == promptcache.Marked
	if s.effort != "" && s.Endpoint.Model.Reasoning {
		cfg.Request.ReasoningEffort = s.effort
	}
	if m.with.Tools != NoTools && s.Endpoint.Model.Tools {
		cfg.Tools = tools
	}
	if m.with.Connect == nil {
		return cfg, nil
	}
	cfg.Model = m.with.Connect(s.Endpoint).Model
	wire, _ := cfg.Model.(provider.Wire)
	return cfg, wire
}

// CacheOf returns how the server of an endpoint caches the beginnings of requests.
func CacheOf(e settings.Endpoint) promptcache.Manner {
	if m, ok := promptcache.Chosen(e.Model.Cache); ok {
		return m
	}
	host := ""
	if u, err := url.Parse(e.BaseURL); err == nil {
		host = u.Hostname()
	}
	return promptcache.Of(string(cmp.Or(e.Wire, settings.WireChat)), host, e.Model.ID)
}

// Limits for the documents of one request, as their makers publish them: Anthropic accepts 32 MB
// per request, in which documents are base64, and 600 pages (100 for a model with a window of
// 200,000 tokens); OpenAI accepts 50 MB of files. (docs.anthropic.com, "PDF support";
// platform.openai.com, "File inputs")
const (
	anthropicBytes  = (32 - 2) << 20 / 4 * 3 // 2 MB are for the rest
	anthropicPages  = 600
	anthropicFewer  = 100
	anthropicSmall  = 200_000 // tokens
	openAIDocuments = 50 << 20
)

// DocumentsOf returns which documents the model of an endpoint accepts.
func DocumentsOf(e settings.Endpoint) chat.Documents {
	if !e.Model.Documents {
		return chat.Documents{}
	}
	if e.Wire != settings.WireAnthropic {
		return chat.Documents{Taken: true, Bytes: openAIDocuments, Of: "a request"}
	}
	d := chat.Documents{Taken: true, Bytes: anthropicBytes, Pages: anthropicPages, Of: "a request to Anthropic"}
	if w := e.Model.ContextTokens; w > 0 && w <= anthropicSmall {
		d.Pages = anthropicFewer
	}
	return d
}

// For returns a request to a model with the parameters from the settings.
func For(m settings.ModelView) provider.Request {
	return provider.Request{Model: m.ID, MaxTokens: m.MaxOutput, Temperature: m.Temperature, ReasoningEffort: m.Effort}
}

// historyOf repairs the messages before the prompt for sending (SPEC 1.5), and assigns each to its
// cell. The repair keeps the number and order of user and system messages; the messages after each
// are its answer.
func historyOf(turns []notebook.HistoryMessage) []prompt.HistoryMessage {
	if len(turns) == 0 {
		return nil
	}
	messages := make([]chat.Message, len(turns))
	for i := range turns {
		messages[i] = turns[i].Message
	}
	messages = notebook.Sendable(messages)
	out, sent := make([]prompt.HistoryMessage, len(messages)), make([]json.RawMessage, len(messages))
	cell, next := turns[0].Cell, 0
	for i, m := range messages {
		turn := &out[i]
		if startsTurn(m) {
			for !startsTurn(turns[next].Message) {
				next++
			}
			opening := &turns[next]
			next++
			cell, turn.Plain = opening.Cell, opening.Internal
			sent[i] = opening.Sent
		}
		turn.Message, turn.Cell = m, cell
	}
	halves.Do(len(out), manyMessages, func(from, to int) {
		for i := from; i < to; i++ {
			if sent[i] != nil {
				json.Unmarshal(sent[i], &out[i].Sent) // ignore invalid data
			}
		}
	})
	return out
}

// manyMessages is the number of messages from which two goroutines read them.
const manyMessages = 256

// startsTurn reports whether a message begins a cell.
func startsTurn(m chat.Message) bool { return m.Role == chat.User || m.Role == chat.System }

// Tools returns the tools of an agent, those of its kind only.
func (m *Maker) Tools(roots *files.Roots, s Spec) *tool.Registry {
	offered := builtin.Reading
	if m.with.Tools == AskTools || m.with.Tools == EveryTool {
		offered = builtin.All
	}
	o := builtin.Options{
		Roots: roots, Seen: s.Seen, Child: s.Agent.ParentID != "",
		Models: m.Models(s.Endpoint),
		Image:  Image, Document: DocumentReader(s.Endpoint),
		Shell: m.with.Commands.ShellFor(s.Agent.UUID),
		Fork:  m.with.Agents.Fork(s),
	}
	o.Compact = m.with.Agents.Compact(s)
	if m.with.Tools == AskTools { // a person can answer
		o.Ask, o.Consult = m.with.Agents.Ask(s), m.with.Agents.Consult(s)
	}
	shelf := m.offeredSkills(s, roots)
	if shelf != nil {
		o.Skills = &builtin.Skills{Use: shelf.use, Roots: shelf.rootsFor}
	}
	tools := withServers(s.Role, filehistory.Record(offered(o), roots, s.Turn), m.OfServers(s))
	if shelf != nil {
		shelf.tools = tools
	}
	if m.with.Tools != AskTools {
		o.Ask, o.Consult = m.with.Agents.Ask(s), m.with.Agents.Consult(s)
		tools = tools.Without("it needs the approval or the answer of a person, and nobody can be asked in this run; go on without it, and say in your answer what you would have done",
			slices.DeleteFunc(builtin.All(o), func(t tool.Tool) bool {
				_, offered := tools.Get(t.Name())
				_, told := tools.Lacks(t.Name())
				return offered || told
			})...)
	}
	return tools
}

// Image prepares an image that an agent reads for its model. It returns the image and
// a description of it.
func Image(name string, data []byte) (chat.Part, string, error) {
	p, err := media.Prepare(data, name, media.DefaultLimits)
	if err != nil {
		return chat.Part{}, "", err
	}
	part := chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: p.DataURI(), Detail: "auto"}}
	return part, strings.TrimSpace(fmt.Sprintf("%dx%d %s", p.W, p.H, p.Note)), nil
}

// DocumentReader prepares a document that an agent reads for the model of an endpoint; nil if it
// accepts none. It returns the document and a description of it.
func DocumentReader(e settings.Endpoint) func(name string, data []byte) (chat.Part, string, error) {
	if !e.Model.Documents {
		return nil
	}
	pages := DocumentsOf(e).Pages
	return func(name string, data []byte) (chat.Part, string, error) {
		p, err := media.PrepareDocument(data, name)
		if err != nil {
			return chat.Part{}, "", err
		}
		if pages > 0 && p.Pages > pages {
			return chat.Part{}, "", fmt.Errorf("%s has %d pages, and at most %d can be shown. Take the pages that matter out of it, for example with `pdfseparate` or `qpdf`", name, p.Pages, pages)
		}
		part := chat.Part{Type: chat.PartFile, File: &chat.File{Name: path.Base(filepath.ToSlash(name)), Data: p.DataURI(), Pages: p.Pages}}
		return part, strings.TrimSpace(media.Measure(p.Pages, p.Bytes) + " " + p.Note), nil
	}
}

// Models returns a function that lists the models in the settings, for an agent to
// choose from.
func (m *Maker) Models(current settings.Endpoint) func() []builtin.Model {
	return func() (all []builtin.Model) {
		for _, p := range m.with.Settings.View().Providers {
			for _, model := range p.Models {
				all = append(all, builtin.Model{
					Provider: p.ID, ID: model.ID, ContextTokens: model.ContextTokens, Images: model.Images, Documents: model.Documents, Tools: model.Tools,
					Reasoning: model.Reasoning, Current: p.ID == current.ProviderID && model.ID == current.Model.ID,
				})
			}
		}
		return all
	}
}
