// Package role says what the agents of a folder are by their kinds: which kinds
// there are, and for one request the role, the tools, the rules and the model
// that an agent has. Package kind reads the files of kinds.
package role

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/metaedit"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/rules"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// keyKind is where a notebook names the kind of its agent.
const keyKind = "agentType"

// Options are what the kinds of a folder are read with.
type Options struct {
	Program  fs.FS  // the program's kinds; nil: only chat
	Folder   string // absolute
	Trust    *access.Trust
	Settings *settings.Store
	Model    string // overrules what notebooks and kinds prefer, unless ""
	Registry *documents.Registry
	Editor   *metaedit.Editor
	Outbox   *event.Outbox
}

// Kinds are the kinds of agents that there are in a folder. It is safe for
// concurrent use.
type Kinds struct {
	cache kind.Cache
	with  Options
}

// New makes the kinds of a folder.
func New(o Options) *Kinds { return &Kinds{with: o} }

// Calls are what the person asks of it. Package workspace embeds them.
type Calls struct{ kinds *Kinds }

// Calls gives what the person asks of it.
func (a *Kinds) Calls() *Calls { return &Calls{a} }

// KindSet reads the kinds of agents as they are now.
func (a *Kinds) KindSet() (kind.Set, error) {
	return a.cache.Load(a.with.Program, a.with.Folder, a.with.Trust.Standing().Counts)
}

// Kinds lists the kinds of agents, the program's first.
func (c *Calls) Kinds() ([]kind.Kind, error) { return c.kinds.list() }

func (a *Kinds) list() ([]kind.Kind, error) {
	set, err := a.KindSet()
	return set.List(), err
}

// Role is what an agent is by its kind, for one request.
type Role struct {
	kind.Kind
	Starts   []kind.Kind // that it may start
	Err      error       // why the agent cannot run; the kind then offers no tool
	warnings []string
}

// RoleOf finds the kind of a notebook's agent.
func (a *Kinds) RoleOf(meta notebook.MetaView) (r Role) {
	set, err := a.KindSet()
	if err != nil {
		return Role{Err: err, Kind: kind.Kind{Problem: err.Error()}}
	}
	warning := ""
	if r.Kind, warning, r.Err = set.Find(meta.AgentType); warning != "" {
		r.warnings = append(r.warnings, warning)
	}
	r.Starts = set.Startable(meta.AgentType)
	if r.Err != nil { // nothing of it counts, also not in a preview
		r.Role, r.Rules, r.Model = "", nil, ""
	}
	return r
}

// Resolve gives the role and the model of a notebook's agent. The error says why
// it cannot run; the endpoint is then the one that it would have otherwise.
func (a *Kinds) Resolve(meta notebook.MetaView) (r Role, e settings.Endpoint, err error) {
	r = a.RoleOf(meta)
	e, err = a.endpoint(meta, &r)
	if r.Err != nil {
		err = r.Err
	}
	return r, e, err
}

// endpoint is where a notebook's model is: its own choice, that of its kind, or
// the default.
func (a *Kinds) endpoint(m notebook.MetaView, r *Role) (settings.Endpoint, error) {
	switch {
	case a.with.Model != "":
		return a.with.Settings.Resolve("", a.with.Model)
	case m.Provider == "" && m.Model == "":
		if e, ok := a.preferred(r); ok {
			return e, nil
		}
	}
	return a.with.Settings.Resolve(m.Provider, m.Model)
}

// Only leaves of an agent's tools those that its kind offers. The others are
// not there at all: no call that a model makes up and no approval brings one back.
func (r Role) Only(all []tool.Tool) *tool.Registry {
	var offered, others []tool.Tool
	for _, t := range all {
		if r.Offers(t.Name()) {
			offered = append(offered, t)
		} else {
			others = append(others, t)
		}
	}
	return tool.NewRegistry(offered...).Without(fmt.Sprintf("an agent of the kind %s is not offered it, and no approval changes that", r.Name), others...)
}

// ChildKinds are the kinds that the agent may start, for the model.
func (r Role) ChildKinds() (all []builtin.ChildKind) {
	for _, k := range r.Starts {
		all = append(all, builtin.ChildKind{Name: k.Name, About: k.Description})
	}
	return all
}

// RulesOf leaves of the folder's rules those that reach the kind.
func (r *Role) RulesOf(found []rules.Rule) []rules.Rule {
	for _, name := range r.Rules {
		if !slices.ContainsFunc(found, func(f rules.Rule) bool { return f.Name == name }) {
			r.warnings = append(r.warnings, fmt.Sprintf("the kind %s (%s) names the rule %s, which is not in the folder", r.Name, r.Source, name))
		}
	}
	return slices.DeleteFunc(found, func(f rules.Rule) bool { return !r.Reaches(f.Name) })
}

// Warnings is what a person should know about the kind before the next request.
func (r Role) Warnings() (all []prompt.Warning) {
	if r.Err != nil {
		all = append(all, prompt.Warning{Text: "this agent cannot run: " + r.Err.Error()})
	}
	for _, text := range r.warnings {
		all = append(all, prompt.Warning{Text: text})
	}
	return all
}

// preferred gives the endpoint that a kind prefers; false when it prefers none, or
// one that the person has not set up.
func (a *Kinds) preferred(r *Role) (settings.Endpoint, bool) {
	if r.Model == "" || r.Err != nil {
		return settings.Endpoint{}, false
	}
	providers := a.with.Settings.View().Providers
	provider, model, _ := strings.Cut(r.Model, "/")
	lists := func(id, model string) bool {
		return slices.ContainsFunc(providers, func(p settings.ProviderView) bool {
			return (id == "" || p.ID == id) && slices.ContainsFunc(p.Models, func(m settings.ModelView) bool { return m.ID == model })
		})
	}
	switch {
	case provider != "" && model != "" && lists(provider, model):
	case lists("", r.Model):
		provider, model = "", r.Model // names of models hold slashes too
	default:
		model = ""
	}
	if model != "" {
		if endpoint, err := a.with.Settings.Resolve(provider, model); err == nil {
			return endpoint, true
		}
	}
	r.warnings = append(r.warnings, fmt.Sprintf("the kind %s prefers the model %s, which is not in the settings: the default model is asked", r.Name, r.Model))
	return settings.Endpoint{}, false
}

// SetKind makes a notebook's agent one of another kind; it counts from its
// next run on, and can be undone. A child is of a kind that its parent may
// start, or of its parent's own.
func (c *Calls) SetKind(path, name string) error {
	set, err := c.kinds.KindSet()
	if err != nil {
		return err
	}
	k, err := set.Choose(name)
	if err != nil {
		return err
	}
	meta, err := c.kinds.with.Registry.AgentAt(path)
	if err != nil {
		return err
	}
	if parent, there := c.kinds.parentOf(meta); there {
		if _, err := ChildOf(set, parent.AgentType, k.Name); err != nil {
			return err
		}
	}
	return c.kinds.with.Editor.Change(path, "choose kind", func(*notebook.Document) (map[string]json.RawMessage, error) {
		raw, err := json.Marshal(k.Name)
		return map[string]json.RawMessage{keyKind: raw}, err
	})
}

// parentOf gives what is said of the parent of an agent, if it is there.
func (a *Kinds) parentOf(meta notebook.MetaView) (parent notebook.MetaView, there bool) {
	if meta.ParentID == "" {
		return parent, false
	}
	path, err := a.with.Registry.ByUUID(meta.ParentID)
	if err != nil {
		return parent, false
	}
	parent, err = a.with.Registry.AgentAt(path)
	return parent, err == nil
}

// ChildOf is kind.Set.Child for what a person does: a child of the parent's own
// kind is no more than the parent, so a person can always have that. It is also
// what a child gets of a parent that starts none by itself.
func ChildOf(set kind.Set, parent, wanted string) (kind.Kind, error) {
	k, err := set.Child(parent, wanted)
	if err == nil || !fault.Is(err, fault.Denied) {
		return k, err
	}
	own, _, ownErr := set.Find(parent)
	if ownErr == nil && (wanted == "" || strings.EqualFold(strings.TrimSpace(wanted), own.Name)) {
		return own, nil
	}
	return k, err
}

// FollowKinds tells when files of kinds change on disk.
func (a *Kinds) FollowKinds(ctx context.Context, start func(func()), tellTrust func(always bool)) {
	first, _ := a.list()
	start(func() {
		// Where the system cannot watch, the files are read again all the same whenever one counts.
		kind.Folder(a.with.Folder).Watch(ctx, func() {
			if now, _ := a.list(); !reflect.DeepEqual(now, first) {
				a.TellKinds() // they changed before anybody watched
			}
		}, func() {
			a.TellKinds()
			tellTrust(false)
		})
	})
}

// TellKinds tells that there may be other kinds than before, and that next
// requests may hold something else.
func (a *Kinds) TellKinds() {
	kinds, err := a.list()
	if err != nil {
		return // the next run says why
	}
	a.with.Outbox.Emit(event.KindsChanged{Kinds: kinds})
	a.with.Outbox.Emit(event.ContextChanged{Rules: true})
}
