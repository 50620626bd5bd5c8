package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/assemble"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/ref"
)

// inspection shows the next request of a cell, as a run would send it.
type inspection struct {
	*notebooks
	requests requests
	access   *access.Access
	trust    *access.Trust
	kinds    *agentKinds
	rules    *folderRules
	kept     *agentfiles.Store
	cache    *assemble.Cache // of files read for prompts
	folder   string
	ctx      context.Context // ends when the workspace closes
}

// Assemble makes one document whole: its references replaced, or with
// appending collected. file is where the text comes from, "" for nowhere.
func (in *inspection) Assemble(ctx context.Context, text, file string, appending bool) (assemble.Document, error) {
	allowed := []string{in.folder}
	roots, err := in.access.Open(in.folder, allowed)
	if err != nil {
		return assemble.Document{}, err
	}
	tools := in.requests.toolsFor(roots, job{meta: notebook.MetaView{Allowed: allowed}, role: in.kinds.roleOf(notebook.MetaView{})})
	a := assemble.New(assemble.Config{
		Roots: roots, Macros: macro.New(nil), Tools: caller{tools: tools}, Trusted: in.trust.Trusted(), Preview: true, Cache: in.cache,
	})
	t := assemble.Text{Text: text, File: file, Inert: !in.trust.Trusted()}
	if appending {
		return a.Append(ctx, t), nil
	}
	return a.Inline(ctx, t), nil
}

// Context gives what the next request of a cell would hold, for the inspector.
func (in *inspection) Context(path, cell, draft string) (ContextView, error) {
	u, err := in.next(in.ctx, path, cell, draft, false)
	if err != nil {
		return ContextView{}, err
	}
	reach, err := in.access.At(path)
	if err != nil {
		return ContextView{}, err
	}
	v := ContextView{
		Path: path, Cell: u.cell, Window: u.endpoint.Model.ContextTokens,
		Rules: []ContextPart{}, Files: []ContextPart{}, Tools: []ContextPart{}, Results: []ContextPart{}, Images: []ContextPart{},
		Macros: macrosOf(u.job, u.built), Warnings: in.warnings(u.roots, u.built), Allowed: in.access.Entries(reach.Folders), Asked: append([]string{}, reach.Asked...), Missing: append([]string{}, reach.Missing...),
		Placement: placementOf(u.place), Trusted: in.trust.Trusted(), ProgramRules: in.rules.areOfProgram(),
	}
	v.Tokens, v.Estimated = u.request.Tokens()
	lists := map[prompt.Kind]*[]ContextPart{
		prompt.KindRule: &v.Rules, prompt.KindFile: &v.Files, prompt.KindDefinition: &v.Tools, prompt.KindTool: &v.Results, prompt.KindImage: &v.Images,
	}
	sums := map[string]int{}
	for _, p := range u.request.Parts {
		sums[meterKind(p.Kind)] += p.Tokens
		list := lists[p.Kind]
		if list == nil || p.State == prompt.StateOld {
			continue // the lists show each part once, in its newest version
		}
		*list = append(*list, ContextPart{
			ID: p.ID, Source: p.Source, Tokens: p.Tokens, Estimated: p.Estimated, Cell: p.Cell, Note: p.Note,
			State: cmp.Or(string(p.State), "same"), Version: p.Version,
		})
	}
	for _, kind := range meterKinds {
		v.Kinds = append(v.Kinds, KindTokens{kind, sums[kind]})
	}
	v.Cost = float64(v.Tokens) * u.endpoint.Model.InputPrice / 1e6
	return v, nil
}

// meterKinds are the stretches of the meter in their order: what stays the same
// from request to request stands first, as it does in the request.
var meterKinds = []string{"tools", "system", "role", "history", "prompt", "rules", "files", "results", "images", "frame"}

func meterKind(k prompt.Kind) string {
	switch k {
	case prompt.KindDefinition:
		return "tools"
	case prompt.KindTool:
		return "results"
	case prompt.KindRule, prompt.KindFile, prompt.KindImage:
		return string(k) + "s"
	}
	return string(k)
}

func placementOf(p prompt.Placement) string {
	if p == prompt.MessageBefore || p == prompt.Versioned {
		return string(p)
	}
	return string(prompt.Ghost)
}

func macrosOf(j job, built prompt.Result) []MacroView {
	var meta prompt.Meta
	meta.ReadMeta(j.macros, nil, nil)
	views := []MacroView{}
	for _, name := range slices.Sorted(maps.Keys(built.Metadata.MacroContext)) {
		m := MacroView{Name: name, Value: built.Metadata.MacroContext[name], From: "prompt"}
		if old, ok := meta.MacroContext[name]; ok && old == m.Value {
			m.From = "notebook"
		}
		views = append(views, m)
	}
	return views
}

// warnings gives what a person should know, with the folder to add where a
// reference leads out of those that are allowed.
func (in *inspection) warnings(roots *files.Roots, built prompt.Result) []WarningView {
	views := []WarningView{}
	for _, x := range built.Warnings {
		views = append(views, WarningView{
			File: x.File, Line: x.Line, Text: x.Text, Cell: x.Cell, Part: besides(x, built.Parts), Outside: x.Outside,
		})
	}
	for _, p := range built.Parts {
		if p.Kind != prompt.KindFile || p.Note == "" || p.Message < 0 {
			continue
		}
		path := ref.Parse(p.Source).Path
		if folder := in.folderOutside(roots, path); folder != "" {
			views = append(views, WarningView{
				Text: path + " is outside the folders that this notebook allows.", Cell: p.Cell, Folder: folder, Part: p.ID, Outside: true,
			})
		}
	}
	return views
}

// besides gives the id of the rule or file that a warning belongs to: the file
// that it stands in, else the one that the reference leads to; "" for none.
func besides(w prompt.Warning, parts []prompt.Part) string {
	for _, kind := range []prompt.Kind{prompt.KindRule, prompt.KindFile} {
		for _, p := range parts {
			if p.Kind != kind {
				continue
			}
			path := ref.Parse(p.Source).Path
			if w.File != "" && (w.File == p.Source || w.File == path || strings.HasSuffix(w.File, "/"+p.Source)) ||
				w.File == "" && w.About != "" && w.About == path && kind == prompt.KindFile {
				return p.ID
			}
		}
	}
	return ""
}

// folderOutside gives the folder that would have to be allowed for a path, ""
// if it is allowed already or leads nowhere.
func (in *inspection) folderOutside(roots *files.Roots, path string) string {
	file, err := files.FromURI(path)
	if err != nil {
		return ""
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(in.folder, file)
	}
	if roots.Allowed(file) {
		return ""
	}
	return filepath.Dir(file)
}

// metaEditor is how the person changes what a notebook says of its next
// requests: each call is a step that can be undone.
type metaEditor struct {
	*notebooks
	out   *event.Outbox
	cache *assemble.Cache // of files read for prompts
}

// SwitchContext switches a part, by its id, off or on for this notebook.
func (e *metaEditor) SwitchContext(path, id string, on bool) error {
	return e.changeMeta(path, "switch context", func(nb *notebook.Document) (map[string]json.RawMessage, error) {
		var meta prompt.Meta
		meta.ReadMeta(nil, nil, nb.Raw(keyOff))
		off := slices.DeleteFunc(meta.ContextOff, func(x string) bool { return x == id })
		if !on {
			off = append(off, id)
		}
		return map[string]json.RawMessage{keyOff: listOrNil(off)}, nil
	})
}

// SetMacro sets a macro of the notebook.
func (e *metaEditor) SetMacro(path, name, value string) error {
	if !macro.IsName(name) {
		return fault.New(fault.Invalid, "%q cannot name a macro: letters, digits and _, not starting with a digit", name)
	}
	return e.changeMacros(path, "", func(m map[string]string) { m[name] = value })
}

// RemoveMacro takes a macro away from the notebook.
func (e *metaEditor) RemoveMacro(path, name string) error {
	return e.changeMacros(path, name, func(m map[string]string) { delete(m, name) })
}

func (e *metaEditor) changeMacros(path, removed string, f func(map[string]string)) error {
	return e.changeMeta(path, "change macros", func(nb *notebook.Document) (map[string]json.RawMessage, error) {
		var meta prompt.Meta
		meta.ReadMeta(nb.Raw(keyMacros), nil, nil)
		f(meta.MacroContext)
		raw, err := mergeMacros(nb.Raw(keyMacros), meta.MacroContext, removed)
		return map[string]json.RawMessage{keyMacros: raw}, err
	})
}

// SetPlacement says where context goes: ghost, message or versioned.
func (e *metaEditor) SetPlacement(path, placement string) error {
	p := prompt.Placement(placement)
	if p != prompt.Ghost && p != prompt.MessageBefore && p != prompt.Versioned {
		return fault.New(fault.Invalid, "%q is no placement: ghost, message or versioned", placement)
	}
	return e.changeMeta(path, "place context", func(*notebook.Document) (map[string]json.RawMessage, error) {
		raw, err := json.Marshal(p)
		return map[string]json.RawMessage{keyPlace: raw}, err
	})
}

// changeMeta changes metadata as one undo step and tells of it.
func (e *metaEditor) changeMeta(path, name string, f func(*notebook.Document) (map[string]json.RawMessage, error)) error {
	_, err := e.registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
		values, err := f(nb)
		if err != nil {
			return notebook.Change{}, err
		}
		return nb.ChangeMeta(name, values)
	})
	if err == nil {
		e.out.Emit(event.ContextChanged{Path: path})
	}
	return err
}

// ForgetContext takes a file or tool result out of the blocks that the
// prompts of the notebook keep, and out of what the next request would add.
func (e *metaEditor) ForgetContext(path, id string) error {
	if err := e.changeSent(path, "forget "+id, func(sent []prompt.Sent) []prompt.Sent { return prompt.Forget(sent, id) }); err != nil {
		return err
	}
	return e.SwitchContext(path, id, false)
}

// PruneContext drops every version that a newer one has replaced.
func (e *metaEditor) PruneContext(path string) error {
	return e.changeSent(path, "prune outdated", prompt.Prune)
}

func (e *metaEditor) changeSent(path, name string, f func([]prompt.Sent) []prompt.Sent) error {
	_, err := e.registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
		var cells []string
		var before []prompt.Sent
		for _, id := range nb.CellIDs() {
			raw, err := nb.PromptMeta(id, keySent)
			var sent prompt.Sent
			if err == nil && raw != nil && json.Unmarshal(raw, &sent) == nil {
				cells, before = append(cells, id), append(before, sent)
			}
		}
		values := map[string]json.RawMessage{}
		for i, after := range f(before) {
			if after.Block == before[i].Block {
				continue
			}
			raw, err := json.Marshal(after)
			if err != nil {
				return notebook.Change{}, err
			}
			values[cells[i]] = raw
		}
		return nb.ChangePrompts(name, keySent, values)
	})
	if err == nil {
		e.out.Emit(event.ContextChanged{Path: path})
	}
	return err
}

// RefreshTools drops the results of tools that previews remember.
func (e *metaEditor) RefreshTools(path string) error {
	e.cache.ForgetTools()
	e.out.Emit(event.ContextChanged{Path: path})
	return nil
}

func listOrNil(list []string) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil // texts always can be written
	}
	return raw
}
