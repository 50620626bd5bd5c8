// Package role resolves the kind of an agent: it lists the kinds of a folder,
// and returns the role, tools, rules and model that a kind gives an agent for
// one request. Package kind reads the files that define kinds.
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

// Options configure Kinds.
type Options struct {
	Program  fs.FS  // the program's kinds; nil: only chat
	Folder   string // absolute
	Trust    *access.Trust
	Settings *settings.Store
	Model    string // overrides the model of notebooks and kinds; "": does not
	Registry *documents.Registry
	Editor   *metaedit.Editor
	Outbox   *event.Outbox
}

// Kinds reads the kinds of agents of a folder. It is safe for concurrent use.
type Kinds struct {
	cache kind.Cache
	with  Options
}

// New returns the Kinds of a folder.
func New(o Options) *Kinds { return &Kinds{with: o} }

// Calls lets the interface list kinds and assign one to an agent. Package workspace embeds it.
type Calls struct{ kinds *Kinds }

// Calls returns the calls of the interface.
func (ks *Kinds) Calls() *Calls { return &Calls{ks} }

// Load returns the kinds as their files define them now.
func (ks *Kinds) Load() (kind.Set, error) {
	return ks.cache.Load(ks.with.Program, ks.with.Folder, ks.with.Trust.Standing().Counts)
}

// Kinds lists the kinds of agents, the program's first.
func (c *Calls) Kinds() ([]kind.Kind, error) { return c.kinds.list() }

func (ks *Kinds) list() ([]kind.Kind, error) {
	set, err := ks.Load()
	return set.List(), err
}

// Role is what an agent gets from its kind for one request.
type Role struct {
	kind.Kind
	Starts   []kind.Kind // kinds of agents that it may start
	Err      error       // why the agent cannot run; the kind then offers no tool
	warnings []string
}

// RoleOf returns the role of a notebook's agent. An error is in Role.Err.
func (ks *Kinds) RoleOf(meta notebook.MetaView) (r Role) {
	set, err := ks.Load()
	if err != nil {
		return Role{Err: err, Kind: kind.Kind{Problem: err.Error()}}
	}
	warning := ""
	if r.Kind, warning, r.Err = set.Find(meta.AgentType); warning != "" {
		r.warnings = append(r.warnings, warning)
	}
	r.Starts = set.Startable(meta.AgentType)
	if r.Err != nil { // an invalid kind contributes nothing, in a preview either
		r.Role, r.Rules, r.Model = "", nil, ""
	}
	return r
}

// Resolve returns the role and the endpoint of a notebook's agent. The error says why the agent
// cannot run; the endpoint is then the one that it would use.
func (ks *Kinds) Resolve(meta notebook.MetaView) (r Role, e settings.Endpoint, err error) {
	r = ks.RoleOf(meta)
	e, err = ks.endpoint(meta, &r)
	if r.Err != nil {
		err = r.Err
	}
	return r, e, err
}

// ResolveModel is Resolve for a request that only a model can answer: that of a notebook which
// another agent answers goes to the default model.
func (ks *Kinds) ResolveModel(meta notebook.MetaView) (r Role, e settings.Endpoint, err error) {
	if r, e, err = ks.Resolve(meta); err == nil && e.ProviderID == notebook.ACP {
		e, err = ks.with.Settings.Resolve("", "")
	}
	return r, e, err
}

// answeredBy returns the endpoint of an agent that answers in the place of a model (SPEC 14.1).
func answeredBy(id string) settings.Endpoint {
	return settings.Endpoint{ProviderID: notebook.ACP, Name: id, Model: settings.ModelView{ID: id, Tools: true}}
}

// endpoint returns the endpoint of a notebook's model: the notebook's own choice, otherwise that of
// its kind, otherwise the default. An agent that answers in the place of a model is the model of
// the provider notebook.ACP.
func (ks *Kinds) endpoint(m notebook.MetaView, r *Role) (settings.Endpoint, error) {
	if agent, is := strings.CutPrefix(ks.with.Model, notebook.ACP+"/"); is {
		return answeredBy(agent), nil
	}
	switch {
	case ks.with.Model == "" && m.AnsweredBy() != "":
		return answeredBy(m.AnsweredBy()), nil
	case ks.with.Model != "":
		return ks.with.Settings.Resolve("", ks.with.Model)
	case m.Provider == "" && m.Model == "":
		if e, ok := ks.preferred(r); ok {
			return e, nil
		}
	}
	return ks.with.Settings.Resolve(m.Provider, m.Model)
}

// Only returns a registry of the tools that the kind offers, and of those of servers, which were
// chosen by the kind. The others are not in it: neither an invented call nor an approval can run
// them.
func (r Role) Only(all, ofServers []tool.Tool) *tool.Registry {
	var offered, others []tool.Tool
	for _, t := range all {
		if r.Offers(t.Name()) {
			offered = append(offered, t)
		} else {
			others = append(others, t)
		}
	}
	return tool.NewRegistry(append(offered, ofServers...)...).Without(fmt.Sprintf("an agent of the kind %s is not offered it, and no approval changes that", r.Name), others...)
}

// ChildKinds describes the kinds that the agent may start, for the model.
func (r Role) ChildKinds() (all []builtin.ChildKind) {
	for _, k := range r.Starts {
		all = append(all, builtin.ChildKind{Name: k.Name, About: k.Description})
	}
	return all
}

// RulesOf filters the folder's rules to those that apply to the kind. It records a warning for each
// rule that the kind names and the folder lacks.
func (r *Role) RulesOf(found []rules.Rule) []rules.Rule {
	for _, name := range r.Rules {
		if !slices.ContainsFunc(found, func(f rules.Rule) bool { return f.Name == name }) {
			r.warnings = append(r.warnings, fmt.Sprintf("the kind %s (%s) names the rule %s, which is not in the folder", r.Name, r.Source, name))
		}
	}
	return slices.DeleteFunc(found, func(f rules.Rule) bool { return !r.Reaches(f.Name) })
}

// Warnings returns what the person should know about the kind before the next
// request.
func (r Role) Warnings() (all []prompt.Warning) {
	if r.Err != nil {
		all = append(all, prompt.Warning{Text: "this agent cannot run: " + r.Err.Error()})
	}
	for _, text := range r.warnings {
		all = append(all, prompt.Warning{Text: text})
	}
	return all
}

// preferred returns the endpoint that a kind prefers; false if it prefers none, or one that is not
// in the settings.
func (ks *Kinds) preferred(r *Role) (settings.Endpoint, bool) {
	if r.Model == "" || r.Err != nil {
		return settings.Endpoint{}, false
	}
	provider, model, _ := strings.Cut(r.Model, "/")
	if provider == notebook.ACP && model != "" {
		return answeredBy(model), true
	}
	providers := ks.with.Settings.View().Providers
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
		if endpoint, err := ks.with.Settings.Resolve(provider, model); err == nil {
			return endpoint, true
		}
	}
	r.warnings = append(r.warnings, fmt.Sprintf("the kind %s prefers the model %s, which is not in the settings: the default model is asked", r.Name, r.Model))
	return settings.Endpoint{}, false
}

// SetKind changes the kind of a notebook's agent, from its next run on. The
// change can be undone. A child must be of a kind that its parent may start, or
// of its parent's own kind.
func (c *Calls) SetKind(path, name string) error {
	set, err := c.kinds.Load()
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

// parentOf returns the metadata of an agent's parent, if its notebook exists.
func (ks *Kinds) parentOf(meta notebook.MetaView) (parent notebook.MetaView, there bool) {
	if meta.ParentID == "" {
		return parent, false
	}
	path, err := ks.with.Registry.ByUUID(meta.ParentID)
	if err != nil {
		return parent, false
	}
	parent, err = ks.with.Registry.AgentAt(path)
	return parent, err == nil
}

// ChildOf is kind.Set.Child for a child that a person creates. It also allows the parent's own
// kind, which has no more rights than the parent, and defaults to it if the parent may start none.
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

// Watch publishes the kinds, and the trust in them, whenever their files change,
// until ctx ends. start runs a function in the background.
func (ks *Kinds) Watch(ctx context.Context, start func(func()), publishTrust func(always bool)) {
	first, _ := ks.list()
	start(func() {
		// Without file watches, the files are still read for each request.
		kind.Folder(ks.with.Folder).Watch(ctx, func() {
			if now, _ := ks.list(); !reflect.DeepEqual(now, first) {
				ks.Publish() // they changed before the watch began
			}
			publishTrust(false)
		}, func() {
			ks.Publish()
			publishTrust(false)
		})
	})
}

// Publish emits the kinds as they are now, and that the next requests may have
// changed with them.
func (ks *Kinds) Publish() {
	kinds, err := ks.list()
	if err != nil {
		return // the next run reports it
	}
	ks.with.Outbox.Emit(event.KindsChanged{Kinds: kinds})
	ks.with.Outbox.Emit(event.ContextChanged{Rules: true})
}
