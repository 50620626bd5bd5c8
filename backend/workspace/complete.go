package workspace

import (
	"context"

	"mutsumi/backend/complete"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Complete returns what could follow in a prompt; see complete.Completer.
func (w *Workspace) Complete(path, kind, query string) ([]complete.Item, error) {
	return w.completer.Complete(path, kind, query)
}

func (w *Workspace) newCompleter() *complete.Completer {
	return complete.New(complete.Source{
		Folder: func() (*files.Roots, error) { return w.access.OpenFolder() },
		Roots:  w.access.RootsAt,
		Text: func(path, reference string) (string, error) {
			v, err := w.File(path, reference)
			return v.Text, err
		},
		Tools:  w.toolsInPrompts,
		Agents: w.registry.Agents,
		Macros: w.macrosOf,
		Start:  func(f func(context.Context)) { w.tasks.Go(func() { f(w.ctx) }) },
	})
}

// toolsInPrompts gives the tools that a person can call in a prompt.
func (w *Workspace) toolsInPrompts() (all []tool.Tool) {
	roots, err := w.access.OpenFolder()
	if err != nil {
		return nil
	}
	for _, t := range w.toolsFor(roots, job{role: w.roleOf(notebook.MetaView{})}).All() {
		if !builtin.Talks(t.Name()) {
			all = append(all, t)
		}
	}
	return all
}

// macrosOf gives the macros that a notebook keeps.
func (w *Workspace) macrosOf(path string) (macros map[string]string, err error) {
	err = w.with(path, func(_ *Tx, nb *notebook.Document) error {
		var meta prompt.Meta
		meta.ReadMeta(nb.Raw(keyMacros), nil, nil)
		macros = meta.MacroContext
		return nil
	})
	return macros, err
}
