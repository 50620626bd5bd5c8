package workspace

import (
	"mutsumi/backend/coedit"
	"mutsumi/backend/filehistory"
	"mutsumi/backend/media"
	"mutsumi/backend/tokens"
	"mutsumi/backend/worktree/owned"
)

// treeCalls is owned.Calls under a name of its own.
type treeCalls = owned.Calls

// openParts makes the parts of a workspace, each with what it needs.
func (w *Workspace) openParts(o Options) error {
	n := w.notebooks
	w.pause = &pause{out: w.out}
	w.tokenCounters = &tokenCounters{byModel: map[string]*tokens.Counter{}}
	w.commands = newCommands(n, o.Sandbox, w.settings, w.kept, w.out)
	w.approvals = &approvals{notebooks: n, access: w.access, settings: w.settings, kept: w.kept, commands: w.commands, out: w.out, attention: w.attention}
	if err := w.approvals.begin(w.trust.Trusted, w.rights); err != nil {
		return err
	}
	w.agentData = &agentData{registry: w.registry, rights: w.rights, grants: w.grants, kept: w.kept, commands: w.commands}
	w.metaEditor = &metaEditor{notebooks: n, out: w.out, cache: w.cache}
	w.agentKinds = &agentKinds{program: o.Kinds, folder: w.folder, trust: w.trust, settings: w.settings, model: o.Model, editor: w.metaEditor, out: w.out}
	w.folderRules = &folderRules{notebooks: n, defaults: o.Rules, folder: w.folder, trust: w.trust, out: w.out}
	w.permissions = &permissions{notebooks: n, access: w.access, trust: w.trust, out: w.out, tellKinds: w.agentKinds.tell}
	w.references = &references{w.access}
	w.catalog = &catalog{notebooks: n, kinds: w.agentKinds, access: w.access, rights: w.rights, scanned: w.scanned}
	w.timelines = &timelines{notebooks: n, out: w.out}
	w.images = &images{notebooks: n, access: w.access, settings: w.settings, pictures: media.NewCache(pictureBytes), folder: w.folder, ctx: w.ctx}
	w.History = filehistory.New(w.folder, w.registry, w.Calls, w.kept, w.out, w.tasks.Go)
	w.coedits = coedit.New(w.ctx, coeditors{w}, w.inbox, w.tasks.Go)
	w.coediting = &coediting{notebooks: n, tracker: w.coedits, versions: w.History.OpenStore}
	w.forks = &forks{
		notebooks: n, catalog: w.catalog, access: w.access, kinds: w.agentKinds, settings: w.settings, slots: w.slots, runs: w,
		folder: w.folder, ctx: w.ctx,
	}
	trees := owned.New(owned.Host{
		Folder: w.folder, Store: w.treeStore, Notebooks: w.registry, Outbox: w.out, Scanned: w.scanned,
		Making: &w.forks.making, Add: w.catalog.add, Begin: w.History.Begin, EndAllOf: w.agentData.endAllOf, Context: w.ctx,
	})
	w.treeCalls, w.forks.trees = trees.Calls(), trees
	w.trashing = &trashing{notebooks: n, runs: w, trees: trees, data: w.agentData, ctx: w.ctx}
	w.consultation = &consultation{
		notebooks: n, access: w.access, kinds: w.agentKinds, settings: w.settings, pause: w.pause, prices: w.prices,
		connect: w.connect, counters: w.tokenCounters, folder: w.folder, requests: w,
	}
	w.titles = &titles{notebooks: n, pause: w.pause, connect: w.connect, counters: w.tokenCounters, ctx: w.ctx}
	w.inspection = &inspection{
		notebooks: n, requests: w, access: w.access, trust: w.trust, kinds: w.agentKinds, rules: w.folderRules, kept: w.kept,
		cache: w.cache, folder: w.folder, ctx: w.ctx,
	}
	w.completion = w.newCompletion()
	return nil
}
