package workspace

import (
	"context"
	"path/filepath"

	"mutsumi/backend/access"
	"mutsumi/backend/acp"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/approval"
	"mutsumi/backend/approvals"
	"mutsumi/backend/assemble"
	"mutsumi/backend/attention"
	"mutsumi/backend/branches"
	"mutsumi/backend/catalog"
	"mutsumi/backend/coedit"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/folderrules"
	"mutsumi/backend/images"
	"mutsumi/backend/lock"
	"mutsumi/backend/lookup"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/imports"
	"mutsumi/backend/mcp/signin"
	"mutsumi/backend/media"
	"mutsumi/backend/metaedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preferences"
	"mutsumi/backend/preview"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
	"mutsumi/backend/runlock"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/summaries"
	"mutsumi/backend/tokens"
	"mutsumi/backend/unsaved"
	"mutsumi/backend/worktree"
	"mutsumi/backend/worktree/owned"
)

// The calls of each part, under different names so that Workspace can embed them all.
type (
	acpCalls      = acp.Calls
	agentCalls    = runner.Calls
	approvalCalls = approvals.Calls
	branchCalls   = branches.Calls
	catalogCalls  = catalog.Calls
	commandCalls  = commands.Calls
	contextCalls  = metaedit.Calls
	historyCalls  = filehistory.Calls
	keptCalls     = agentfiles.Calls
	kindCalls     = role.Calls
	ruleCalls     = folderrules.Calls
	serverCalls   = mcp.Calls
	importCalls   = imports.Calls
	summaryCalls  = summaries.Calls
	treeCalls     = owned.Calls
)

// openParts makes the parts of a workspace and connects them.
func (w *Workspace) openParts(o Options) error {
	s, out := o.Settings, w.out
	making, files, counters, prices := new(lock.Mutex), assemble.NewCache(), new(tokens.Counters), preferences.NewPrices(s)
	pictures := media.NewCache(pictureBytes)

	// What an agent may touch, and the notebooks.
	w.registry = documents.New(documents.Options{
		Context: w.ctx, Folder: w.folder, Named: o.Notebook, Quiet: o.Quiet, Outbox: out, Rights: w.rights,
		Unsaved: unsaved.Store{Dir: s.StateFolder("unsaved")}, Prices: prices.Table, Host: documentsHost{w}, Log: w.log,
		Locks: runlock.Store{Dir: s.StateFolder("locks")},
	})
	w.kept = agentfiles.New(o.CacheDir, s.StateFolder("terminal"), w.folder)
	w.treeStore = worktree.NewStore(s.StateFolder("worktrees"), w.folder)
	w.trust = access.NewTrust(w.folder, s, o.Rules, o.Trust, rightsHolders{w}.foreign)
	w.access = access.New(w.folder, s, w.rights, w.trust, w.treeStore, rightsHolders{w})
	w.edits = metaedit.New(w.registry, out, files)
	w.kinds = role.New(role.Options{
		Program: o.Kinds, Folder: w.folder, Trust: w.trust, Settings: s, Model: o.Model, Registry: w.registry, Editor: w.edits, Outbox: out,
	})
	w.ownSkills = settings.SkillsOf(s)
	w.rules = folderrules.New(w.registry, o.Rules, w.folder, w.trust, out)

	w.servers = mcp.Open(mcp.Options{
		Folder: w.folder, Trusted: func(text string) bool { return w.trust.Standing().Counts(config.File, text) },
		Settings: settings.ServersOf(s).List, Keyring: settings.ServersOf(s).Key,
		Pins: s.Pins(w.folder), Tokens: func(t mcp.Tool) int {
			e, _ := s.Resolve("", "") // without a model the count is an estimate
			return request.ToolTokens(counters.For(e.Model.ID), t)
		},
		Changed: func(c mcp.Change) {
			files.ForgetResources()
			out.Emit(event.ServersChanged{Server: c.Server})
			if c.Offered {
				out.Emit(event.ContextChanged{})
			}
		},
		Held:         func(server string, tools []string) { out.Emit(event.ToolsHeld{Server: server, Tools: tools}) },
		Updated:      func() { files.ForgetResources(); out.Emit(event.ContextChanged{}) },
		SignIns:      func(from string, what ...string) signin.Keep { return settings.ServersOf(s).SignIn(from, what...) },
		SignInWanted: func(name string) { out.Emit(event.SignInWanted{Server: name}); w.attention.SignInWanted(name) },
		Say:          func(text string) string { return w.language().Text(text) },
	})
	w.serverCalls = w.servers.Calls(w.ctx, w.tasks.Go)
	w.importCalls = imports.NewCalls(w.folder, settings.ServersOf(s), w.serverCalls.ForgetSignIn)

	own := settings.ACPAgentsOf(s)
	w.agents = acp.Open(acp.Options{
		Context: w.ctx, Stop: o.AgentStop, Own: func() (all []acp.Input) {
			for _, a := range own.List() {
				all = append(all, acp.Input(a))
			}
			return all
		},
		Save:   func(in acp.Input) error { return own.Put(settings.ACPAgent(in)) },
		Remove: own.Remove,
		Notebook: func(path string) (uuid, agent string, err error) {
			err = w.registry.With(path, func(tx *documents.Tx, nb *notebook.Document) error {
				_, e, err := w.kinds.Resolve(nb.Meta())
				if uuid = nb.UUID(); err == nil && e.ProviderID == notebook.ACP {
					agent = e.Model.ID
				}
				return nil
			})
			return uuid, agent, err
		},
		Changed: func(agent string) { out.Emit(event.ACPAgentsChanged{Agent: agent}) },
		SessionChanged: func(uuid string) {
			if path, err := w.registry.ByUUID(uuid); err == nil {
				out.Emit(event.ACPSessionChanged{Path: path})
			}
		},
	})
	w.acpCalls = w.agents.Calls()

	// What agents do, and how the person controls them.
	w.commands = commands.New(w.registry, o.Sandbox, s, w.kept, out)
	w.attention = attention.New(attention.Source{
		Name: filepath.Base(w.folder), Nodes: w.registry.Agents, Pending: func() []approval.Request { return w.approvals.Inbox().Pending() },
		Muted:    func() bool { return s.Preferences().Quiet },
		Language: w.language,
		Open:     func(path, cell string) { out.Emit(event.CellWanted{Path: path, Cell: cell}) },
	})
	var err error
	if w.approvals, err = approvals.New(approvals.Options{
		Registry: w.registry, Access: w.access, Trusted: w.trust.Trusted, Rights: w.rights, Settings: s, Kept: w.kept,
		Commands: w.commands, Outbox: out, Attention: w.attention, Granted: w.servers.PinGranted,
	}); err != nil {
		return err
	}
	w.Calls = documents.NewCalls(w.registry)
	w.history = filehistory.New(w.folder, w.registry, w.Calls, w.kept, out, w.tasks.Go)
	w.coedits = coedit.New(w.ctx, coeditors{w}, w.approvals.Inbox(), w.tasks.Go)
	agents := catalog.New(w.registry, w.kinds, w.access, w.rights, w.scanned, w.language)
	data := &catalog.AgentData{Registry: w.registry, Rights: w.rights, Grants: w.approvals.Grants(), Kept: w.kept, Commands: w.commands, Drop: w.agents.Drop}
	trees := owned.New(owned.Host{
		Folder: w.folder, Store: w.treeStore, Notebooks: w.registry, Outbox: out, Scanned: w.scanned,
		Making: making, Add: agents.Add, Begin: w.history.Begin, EndAllOf: data.EndAllOf, Context: w.ctx,
	})
	tools := o.Tools
	if tools == "" {
		tools = request.AskTools
	}
	compactor := summaries.New(summaries.Options{
		Context: w.ctx, Start: w.tasks.Go, Registry: w.registry, Outbox: out, Kinds: w.kinds, Settings: s, Counters: counters, Prices: prices,
		Kept: w.kept, Ask: func(ctx context.Context, path string, a runner.SideRequest) (string, notebook.ModelUsage, error) {
			return w.runner.Ask(ctx, path, a)
		},
	})
	w.runner = runner.New(runner.Options{
		Context: w.ctx, Start: w.tasks.Go, Folder: w.folder, Registry: w.registry, Outbox: out, Settings: s, Connect: o.Connect, Tools: tools, Once: o.Quiet,
		Access: w.access, Agents: w.agents, Trusted: w.trustedWhenScanned, Approvals: w.approvals, Attention: w.attention, Catalog: agents, Coedits: w.coedits, Commands: w.commands,
		Compactor: compactor, Counters: counters, History: w.history, Kept: w.kept, Kinds: w.kinds, Making: making, Prices: prices, Trees: trees, Log: w.log,
		Requests: func(of request.Agents) *request.Maker {
			return request.New(request.Options{
				Folder: w.folder, Settings: s, Connect: o.Connect, Tools: tools, Trust: w.trust, Rules: w.rules, Commands: w.commands,
				Images: pictures, Files: files, Counters: counters, Agents: of, Servers: w.servers,
				Access: w.access, OwnSkills: w.ownSkills, Kept: w.kept,
			})
		},
	})

	// The calls of the interface.
	w.Editor = preferences.New(w.preferencesHost())
	w.agentCalls, w.approvalCalls, w.catalogCalls, w.commandCalls = w.runner.Calls(), w.approvals.Calls(), agents.Calls(), w.commands.Calls()
	w.contextCalls, w.historyCalls, w.kindCalls, w.ruleCalls = w.edits.Calls(), w.history.Calls(), w.kinds.Calls(), w.rules.Calls()
	w.treeCalls, w.keptCalls = trees.Calls(), w.kept.Calls()
	w.branchCalls = branches.New(branches.Options{
		Context: w.ctx, Folder: w.folder, Registry: w.registry, Documents: w.Calls, Catalog: agents, Outbox: out, Prices: prices.Table, Trees: trees,
		Making: making, Kept: w.kept,
	})
	w.Finder = lookup.New(lookup.Source{
		Agents: w.registry.Agents, Open: func(path string) bool { return w.registry.Opened(path) != nil }, Start: w.tasks.Go,
		Read: func(path string, f func(*notebook.Document) error) error {
			return w.registry.ReadOnly(path, func(_ *documents.Tx, nb *notebook.Document) error { return f(nb) })
		},
	})
	w.summaryCalls = compactor.Calls()
	w.Trasher = catalog.NewTrasher(w.ctx, w.registry, w.agentCalls, trees, data)
	w.Images = images.New(w.ctx, w.registry, w.access, s, pictures, w.folder)
	w.Previewer = preview.New(preview.Options{
		Registry: w.registry, Runs: w.runner, Requests: w.runner.Requests(), Access: w.access, Trust: w.trust, Kinds: w.kinds, Rules: w.rules,
		Kept: w.kept, Files: files, Pictures: pictures, Folder: w.folder, Context: w.ctx,
	})
	w.permissions = &permissions{
		registry: w.registry, access: w.access, trust: w.trust, out: out, publishKinds: w.kinds.Publish, endUntrusted: func() {
			w.servers.Recheck()
			if !w.trust.Trusted() {
				w.agents.DropAll()
			}
		},
	}
	w.references = &references{w.access, w.servers}
	w.coediting = &coediting{readerAt: w.runner.ReaderAt, tracker: w.coedits, versions: w.history.OpenStore}
	w.completion = w.newCompletion()
	return nil
}
