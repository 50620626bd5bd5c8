// Package preview builds the next request of a cell without sending it, exactly as a
// run would send it: for the inspector, the preview and the command line.
package preview

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/assemble"
	"mutsumi/backend/documents"
	"mutsumi/backend/files"
	"mutsumi/backend/folderrules"
	"mutsumi/backend/macro"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/ref"
	"mutsumi/backend/request"
	"mutsumi/backend/role"
)

// Options configure a Previewer.
type Options struct {
	Registry *documents.Registry
	Runs     Runs
	Requests *request.Maker
	Access   *access.Access
	Trust    *access.Trust
	Kinds    *role.Kinds
	Rules    *folderrules.Rules
	Kept     *agentfiles.Store
	Files    *assemble.Cache // of files read for prompts
	Pictures *media.Cache    // of small pictures
	Folder   string          // absolute
	Context  context.Context // ends when the workspace closes
}

// Runs knows the next request of a notebook.
type Runs interface {
	// NextSpec reads what the next request of a cell is built from. draft is the
	// prompt as typed so far; a cell that the notebook does not have is a new
	// prompt at the end. With continues, the request continues the cell's answer.
	NextSpec(path, cell, draft string, continues bool) (request.Spec, error)
}

// Previewer builds requests without sending them. It is safe for concurrent use.
type Previewer struct{ with Options }

// New returns a Previewer.
func New(o Options) *Previewer { return &Previewer{o} }

// Assemble follows the references of a text: it replaces them inline, or with
// appending collects their contents at the end. file is the text's own file; "": none.
func (pv *Previewer) Assemble(ctx context.Context, text, file string, appending bool) (assemble.Document, error) {
	allowed := []string{pv.with.Folder}
	roots, err := pv.with.Access.Open(pv.with.Folder, allowed)
	if err != nil {
		return assemble.Document{}, err
	}
	tools := pv.with.Requests.Tools(roots, request.Spec{Agent: notebook.MetaView{Allowed: allowed}, Role: pv.with.Kinds.RoleOf(notebook.MetaView{})})
	a := assemble.New(assemble.Config{
		Roots: roots, Macros: macro.New(nil), Tools: request.Caller{Tools: tools}, Trusted: pv.with.Trust.Trusted(), Preview: true, Cache: pv.with.Files,
	})
	defer a.Close()
	t := assemble.Text{Text: text, File: file, Inert: !pv.with.Trust.Trusted()}
	if appending {
		return a.Append(ctx, t), nil
	}
	return a.Inline(ctx, t), nil
}

// Context returns the content of a cell's next request, for the inspector.
func (pv *Previewer) Context(path, cell, draft string) (Context, error) {
	spec, err := pv.with.Runs.NextSpec(path, cell, draft, false)
	if err != nil {
		return Context{}, err
	}
	u, err := pv.of(pv.with.Context, spec)
	if err != nil {
		return Context{}, err
	}
	reach, err := pv.with.Access.At(path)
	if err != nil {
		return Context{}, err
	}
	v := Context{
		Path: path, Cell: u.Cell, Window: u.Endpoint.Model.ContextTokens,
		Rules: []Part{}, Skills: []Part{}, Files: []Part{}, Tools: []Part{}, Results: []Part{}, Images: []Part{}, Documents: []Part{}, Resources: []Part{},
		Macros: macrosOf(u.Spec, u.built), Warnings: pv.warnings(u), Allowed: pv.with.Access.Entries(reach.Folders), Asked: append([]string{}, reach.Asked...), Missing: append([]string{}, reach.Missing...),
		Placement: placementOf(u.Placement()), Effort: u.Effort(), Efforts: u.Endpoint.Model.Reasoning, Trusted: pv.with.Trust.Trusted(), ProgramRules: pv.with.Rules.UsesDefaults(),
	}
	v.Tokens, v.Estimated = u.request.Tokens()
	lists := map[prompt.Kind]*[]Part{
		prompt.KindRule: &v.Rules, prompt.KindSkill: &v.Skills, prompt.KindFile: &v.Files, prompt.KindDefinition: &v.Tools, prompt.KindTool: &v.Results, prompt.KindImage: &v.Images,
		prompt.KindDocument: &v.Documents, prompt.KindResource: &v.Resources,
	}
	sums, shown := map[string]int{}, pv.pictures()
	for _, p := range u.request.Parts {
		sums[meterKind(p.Kind)] += p.Tokens
		list := lists[p.Kind]
		if list == nil || p.State == prompt.StateOld {
			continue // the lists show only the newest version of a part
		}
		part := Part{
			ID: p.ID, Source: p.Source, Tokens: p.Tokens, Estimated: p.Estimated, Cell: p.Cell, Note: p.Note,
			State: cmp.Or(string(p.State), "same"), Version: p.Version, Given: p.Given,
		}
		if p.Given && p.Message >= 0 {
			part.Picture = shown.of(u.request.Sent.Messages[p.Message].Content.Parts[p.Piece].ImageURL.URL, listSide)
		}
		*list = append(*list, part)
	}
	for _, kind := range meterKinds {
		v.Kinds = append(v.Kinds, KindTokens{kind, sums[kind]})
	}
	v.Offered = pv.offered(u, v.Tools)
	v.Cost = float64(v.Tokens) * u.Endpoint.Model.InputPrice / 1e6
	return v, nil
}

// meterKinds are the sections of the meter in the order of the request: what changes
// least from request to request comes first.
var meterKinds = []string{"tools", "system", "role", "skills", "history", "prompt", "rules", "files", "resources", "results", "images", "documents", "frame"}

func meterKind(k prompt.Kind) string {
	switch k {
	case prompt.KindDefinition:
		return "tools"
	case prompt.KindTool:
		return "results"
	case prompt.KindSkill, prompt.KindRule, prompt.KindFile, prompt.KindResource, prompt.KindImage, prompt.KindDocument:
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

func macrosOf(s request.Spec, built prompt.Result) []Macro {
	kept := s.Macros()
	views := []Macro{}
	for _, name := range slices.Sorted(maps.Keys(built.Metadata.MacroContext)) {
		m := Macro{Name: name, Value: built.Metadata.MacroContext[name], From: "prompt"}
		if old, ok := kept[name]; ok && old == m.Value {
			m.From = "notebook"
		}
		views = append(views, m)
	}
	return views
}

// warnings returns what the person should know about a build, with the folder to allow if a
// reference leads out of the allowed ones.
func (pv *Previewer) warnings(u upcoming) []Warning {
	roots, built := u.roots, u.built
	views := u.untaken()
	for _, x := range built.Warnings {
		views = append(views, Warning{
			File: x.File, Line: x.Line, Text: x.Text, Cell: x.Cell, Part: besides(x, built.Parts), Outside: x.Outside,
		})
	}
	for _, p := range built.Parts {
		if p.Kind != prompt.KindFile || p.Note == "" || p.Message < 0 {
			continue
		}
		path := ref.Parse(p.Source).Path
		if folder := pv.folderOutside(roots, path); folder != "" {
			views = append(views, Warning{
				Text: path + " is outside the folders that this notebook allows.", Cell: p.Cell, Folder: folder, Part: p.ID, Outside: true,
			})
		}
	}
	return views
}

// besides returns the id of the rule or file that a warning belongs to: the one that contains the
// reference, otherwise its target; "": none.
func besides(w prompt.Warning, parts []prompt.Part) string {
	for _, kind := range []prompt.Kind{prompt.KindRule, prompt.KindFile, prompt.KindResource, prompt.KindDocument} {
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

// folderOutside returns the folder to allow for a path; "" if it is allowed already, or names no
// file.
func (pv *Previewer) folderOutside(roots *files.Roots, path string) string {
	file, err := files.Resolve(pv.with.Folder, path)
	if err != nil {
		return ""
	}
	if roots.Allowed(file) {
		return ""
	}
	return filepath.Dir(file)
}
