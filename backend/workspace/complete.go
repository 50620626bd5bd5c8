package workspace

import (
	"context"

	"mutsumi/backend/access"
	"mutsumi/backend/complete"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
	"mutsumi/backend/skills"
	"mutsumi/backend/slashcommand"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// completion lets the interface complete a prompt.
type completion struct {
	registry  *documents.Registry
	completer *complete.Completer
	ctx       context.Context // ends the wait for a server
	access    *access.Access
	// offered returns the tools of an agent of the default kind.
	offered func(*files.Roots) *tool.Registry
}

// Complete returns completions for a prompt; see complete.Completer.
func (c *completion) Complete(path, kind, query string) ([]complete.Item, error) {
	return c.completer.Complete(path, kind, query)
}

// PromptValues returns the values that an MCP server proposes for an argument of its prompt; see
// complete.Completer.
func (c *completion) PromptValues(command, argument, typed string, others map[string]string) ([]string, error) {
	return c.completer.PromptValues(c.ctx, command, argument, typed, others)
}

func (w *Workspace) newCompletion() *completion {
	c := &completion{registry: w.registry, access: w.access, ctx: w.ctx}
	c.offered = func(roots *files.Roots) *tool.Registry {
		return w.runner.Requests().Tools(roots, request.Spec{Role: w.kinds.RoleOf(notebook.MetaView{})})
	}
	c.completer = complete.New(complete.Source{
		Folder: func() (*files.Roots, error) { return w.access.OpenFolder() },
		Roots:  w.access.RootsAt,
		Text: func(path, reference string) (string, error) {
			v, err := w.File(path, reference)
			return v.Text, err
		},
		Tools:    c.toolsInPrompts,
		Agents:   w.registry.Agents,
		Macros:   c.macrosOf,
		Commands: w.runner.Requests().Commands,
		Offers:   w.servers.Offers, Resting: w.servers.Resting,
		Values: w.servers.PromptValues,
		Start:  func(f func(context.Context)) { w.tasks.Go(func() { f(w.ctx) }) },
	})
	return c
}

// toolsInPrompts returns the tools that a person can call in a prompt.
func (c *completion) toolsInPrompts() (all []tool.Tool) {
	roots, err := c.access.OpenFolder()
	if err != nil {
		return nil
	}
	for _, t := range c.offered(roots).All() {
		if !builtin.Talks(t.Name()) {
			all = append(all, t)
		}
	}
	return all
}

// macrosOf returns a notebook's macros.
func (c *completion) macrosOf(path string) (macros map[string]string, err error) {
	err = c.registry.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		var meta prompt.Meta
		meta.ReadMeta(nb.Raw(prompt.KeyMacros), nil, nil)
		macros = meta.MacroContext
		return nil
	})
	return macros, err
}

// followCommands publishes that the next requests and the trust may have changed whenever commands
// or skills change.
func (w *Workspace) followCommands() {
	told := func() { w.publishTrust(false) }
	slashcommand.Watch(w.ctx, w.folder, w.tasks.Go, told, func() {
		w.out.Emit(event.ContextChanged{})
		told()
	})
	w.tasks.Go(func() {
		skills.Watch(w.ctx, w.folder, w.ownSkills, told, func() {
			w.out.Emit(event.ContextChanged{})
			told()
		})
	})
}
