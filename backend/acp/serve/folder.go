package serve

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/clip"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/workspace"
)

// folder is an open folder with its sessions.
type folder struct {
	*server
	ws       *workspace.Workspace
	close    func() error
	followed chan struct{}                 // closed when nothing follows it any more
	busy     lock.Guarded[map[string]bool] // uuids of the notebooks whose prompts are at work
}

// settle is how long changes of the folder are collected before the editor hears of them.
const settle = 200 * time.Millisecond

// follow tells the editor what changes in the folder beside the runs, until the server ends, and
// refuses requests to the person that belong to no prompt of the editor.
func (f *folder) follow() {
	changes := f.ws.Events().Subscribe(func(e event.Event) bool {
		switch e.(type) {
		case event.TreeChanged, event.SettingsChanged, event.KindsChanged, event.TrustChanged, event.ContextChanged, event.ServersChanged, event.ApprovalsChanged:
			return true
		}
		return false
	})
	defer changes.Close()
	for changed := false; ; {
		ctx, cancel := f.ctx, context.CancelFunc(func() {})
		if changed {
			ctx, cancel = context.WithTimeout(f.ctx, settle)
		}
		e := changes.Next(ctx)
		cancel()
		switch e := e.(type) {
		case nil:
			if f.ctx.Err() != nil {
				return
			}
			changed = false
			for _, one := range f.sessions() {
				one.tellChanges()
			}
		case event.ApprovalsChanged:
			for _, r := range e.Added {
				if f.owner(r) == "" {
					_ = f.ws.ResolveApproval(r.ID, approval.Decision{Reason: nobody}) // it may already be gone
				}
			}
		default:
			changed = true
		}
	}
}

// nobody is the reason for refusing a request to the person outside of a prompt.
const nobody = "no prompt of the editor is at work that could ask the person"

// sessions lists the open sessions of the folder.
func (f *folder) sessions() (all []*session) {
	f.open.Do(func(open *map[string]*session) {
		for _, id := range sorted(*open) {
			if (*open)[id].folder == f {
				all = append(all, (*open)[id])
			}
		}
	})
	return all
}

// owner returns the uuid of the notebook whose prompt a request to the person belongs to: the
// agent's own, or that of the nearest agent above it which the editor has at work; "": there is none.
func (f *folder) owner(r approval.Request) string {
	nodes := f.ws.Nodes()
	files := append([]string{r.Path}, agenttree.Ancestors(nodes, r.Path)...)
	var busy []string
	f.busy.Do(func(all *map[string]bool) { busy = sorted(*all) })
	for _, file := range files {
		for _, n := range nodes {
			if n.File == file && slices.Contains(busy, n.UUID) {
				return n.UUID
			}
		}
	}
	return ""
}

// tellChanges tells the editor what it does not know yet of a session: its name, the commands that
// can be typed, and the options.
func (one *session) tellChanges() {
	one.telling.Lock() // or an older state could come after a newer one
	defer one.telling.Unlock()
	commands, options := one.commands(), one.options()
	now := told{commands: asText(commands), options: asText(options)}
	if node, ok := one.node(one.id); ok {
		now.title = node.Name
	}
	var before told
	one.state.Do(func(st *sessionState) { before, st.shown = st.shown, now })
	if now.title != before.title {
		one.update(one.id, acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: acp.Ptr(title(now.title))}})
	}
	if now.commands != before.commands {
		one.update(one.id, acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: commands}})
	}
	if now.options != before.options && before.options != "" { // the answer that begins a session has them
		one.update(one.id, acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: options}})
	}
}

func asText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// commands lists the commands that take effect at the beginning of a prompt.
func (one *session) commands() []acp.AvailableCommand {
	all := []acp.AvailableCommand{}
	items, err := one.ws.Complete("", "command", "")
	if err != nil {
		return all
	}
	for _, i := range items {
		c := acp.AvailableCommand{Name: clip.VisibleLine(i.Label, 200), Description: clip.VisibleLine(i.Detail, 500)}
		if i.Hint != "" {
			c.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: clip.VisibleLine(i.Hint, 200)}}
		}
		all = append(all, c)
	}
	return all
}
