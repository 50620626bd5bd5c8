package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/rules"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// keyKind is where a notebook names the kind of its agent.
const keyKind = "agentType"

// agentKinds are the kinds of agents that there are in the folder.
type agentKinds struct {
	cache    kind.Cache
	program  fs.FS // the program's kinds; nil: only chat
	folder   string
	trust    *access.Trust
	settings *settings.Store
	model    string // overrules what notebooks and kinds prefer, unless ""
	editor   *metaEditor
	out      *event.Outbox
}

// set reads the kinds of agents as they are now.
func (a *agentKinds) set() (kind.Set, error) {
	return a.cache.Load(a.program, a.folder, a.trust.Standing().Counts)
}

// Kinds lists the kinds of agents, the program's first.
func (a *agentKinds) Kinds() ([]kind.Kind, error) {
	set, err := a.set()
	return set.List(), err
}

// role is what an agent is by its kind, for one request.
type role struct {
	kind.Kind
	starts   []kind.Kind // that it may start
	warnings []string
	err      error // why the agent cannot run; the kind then offers no tool
}

// roleOf finds the kind of a notebook's agent.
func (a *agentKinds) roleOf(meta notebook.MetaView) (r role) {
	set, err := a.set()
	if err != nil {
		return role{err: err, Kind: kind.Kind{Problem: err.Error()}}
	}
	warning := ""
	if r.Kind, warning, r.err = set.Find(meta.AgentType); warning != "" {
		r.warnings = append(r.warnings, warning)
	}
	r.starts = set.Startable(meta.AgentType)
	if r.err != nil { // nothing of it counts, also not in a preview
		r.Role, r.Rules, r.Model = "", nil, ""
	}
	return r
}

// choose settles the kind and the model of a notebook's agent. The error says
// why it cannot run; the endpoint is then the one that it would have otherwise.
func (j *job) choose(kinds *agentKinds, meta notebook.MetaView) (err error) {
	j.role = kinds.roleOf(meta)
	j.endpoint, err = kinds.endpoint(meta, &j.role)
	if j.role.err != nil {
		return j.role.err
	}
	return err
}

// only leaves of an agent's tools those that its kind offers. The others are
// not there at all: no call that a model makes up and no approval brings one back.
func (r role) only(all []tool.Tool) *tool.Registry {
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

// childKinds are the kinds that the agent may start, for the model.
func (r role) childKinds() (all []builtin.ChildKind) {
	for _, k := range r.starts {
		all = append(all, builtin.ChildKind{Name: k.Name, About: k.Description})
	}
	return all
}

// rules leaves of the folder's rules those that reach the kind.
func (r *role) rules(found []rules.Rule) []rules.Rule {
	for _, name := range r.Rules {
		if !slices.ContainsFunc(found, func(f rules.Rule) bool { return f.Name == name }) {
			r.warnings = append(r.warnings, fmt.Sprintf("the kind %s (%s) names the rule %s, which is not in the folder", r.Name, r.Source, name))
		}
	}
	return slices.DeleteFunc(found, func(f rules.Rule) bool { return !r.Reaches(f.Name) })
}

// said is what a person should know about the kind before the next request.
func (r role) said() (all []prompt.Warning) {
	if r.err != nil {
		all = append(all, prompt.Warning{Text: "this agent cannot run: " + r.err.Error()})
	}
	for _, text := range r.warnings {
		all = append(all, prompt.Warning{Text: text})
	}
	return all
}

// modelFor gives the endpoint that a kind prefers; false when it prefers none, or
// one that the person has not set up.
func (a *agentKinds) modelFor(r *role) (settings.Endpoint, bool) {
	if r.Model == "" || r.err != nil {
		return settings.Endpoint{}, false
	}
	providers := a.settings.View().Providers
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
		if endpoint, err := a.settings.Resolve(provider, model); err == nil {
			return endpoint, true
		}
	}
	r.warnings = append(r.warnings, fmt.Sprintf("the kind %s prefers the model %s, which is not in the settings: the default model is asked", r.Name, r.Model))
	return settings.Endpoint{}, false
}

// SetKind makes a notebook's agent one of another kind; it counts from its
// next run on, and can be undone. A child is of a kind that its parent may
// start, or of its parent's own.
func (a *agentKinds) SetKind(path, name string) error {
	set, err := a.set()
	if err != nil {
		return err
	}
	k, err := set.Choose(name)
	if err != nil {
		return err
	}
	meta, err := a.editor.meta(path)
	if err != nil {
		return err
	}
	if parent, there := a.parentOf(meta); there {
		if _, err := childOf(set, parent.AgentType, k.Name); err != nil {
			return err
		}
	}
	return a.editor.changeMeta(path, "choose kind", func(*notebook.Document) (map[string]json.RawMessage, error) {
		raw, err := json.Marshal(k.Name)
		return map[string]json.RawMessage{keyKind: raw}, err
	})
}

// parentOf gives what is said of the parent of an agent, if it is there.
func (a *agentKinds) parentOf(meta notebook.MetaView) (parent notebook.MetaView, there bool) {
	if meta.ParentID == "" {
		return parent, false
	}
	path, err := a.editor.registry.ByUUID(meta.ParentID)
	if err != nil {
		return parent, false
	}
	parent, err = a.editor.meta(path)
	return parent, err == nil
}

// childOf is kind.Set.Child for what a person does: a child of the parent's own
// kind is no more than the parent, so a person can always have that. It is also
// what a child gets of a parent that starts none by itself.
func childOf(set kind.Set, parent, wanted string) (kind.Kind, error) {
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

// follow tells when files of kinds change on disk.
func (a *agentKinds) follow(ctx context.Context, start func(func()), tellTrust func(always bool)) {
	first, _ := a.Kinds()
	start(func() {
		// Where the system cannot watch, the files are read again all the same whenever one counts.
		kind.Folder(a.folder).Watch(ctx, func() {
			if now, _ := a.Kinds(); !reflect.DeepEqual(now, first) {
				a.tell() // they changed before anybody watched
			}
		}, func() {
			a.tell()
			tellTrust(false)
		})
	})
}

// tell tells that there may be other kinds than before, and that next
// requests may hold something else.
func (a *agentKinds) tell() {
	kinds, err := a.Kinds()
	if err != nil {
		return // the next run says why
	}
	a.out.Emit(event.KindsChanged{Kinds: kinds})
	a.out.Emit(event.ContextChanged{Rules: true})
}
