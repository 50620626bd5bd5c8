// Package folderrules selects the rules that requests from a folder contain: the
// folder's own, or the program's default rules where it has none. Package rules
// reads the files.
package folderrules

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/rules"
)

// View is a rule that applies in the folder.
type View struct {
	Name string `json:"name"`
	Path string `json:"path"` // relative to the folder; "": a default rule
}

// Rules selects the rules of one folder. It is safe for concurrent use.
type Rules struct {
	registry *documents.Registry
	defaults fs.FS
	folder   string
	trust    *access.Trust
	out      *event.Outbox
}

// New returns the Rules of a folder. defaults are the program's rules; nil: none.
func New(reg *documents.Registry, defaults fs.FS, folder string, trust *access.Trust, out *event.Outbox) *Rules {
	return &Rules{reg, defaults, folder, trust, out}
}

// Calls lets the interface list, read and copy rules. Package workspace embeds it.
type Calls struct{ rules *Rules }

// Calls returns the calls of the interface.
func (rs *Rules) Calls() *Calls { return &Calls{rs} }

// Rules lists the rules that apply in the folder.
func (c *Calls) Rules() ([]View, error) {
	found, err := c.rules.List()
	if err != nil {
		return nil, err
	}
	views := make([]View, len(found))
	for i, r := range found {
		if views[i] = (View{Name: r.Name}); r.Path != "" {
			views[i].Path = c.rules.registry.PathOf(r.Path)
		}
	}
	return views, nil
}

// Rule returns the text of a rule that applies in the folder.
func (c *Calls) Rule(name string) (string, error) {
	own, err := c.rules.ownOrDefault()
	if err != nil {
		return "", err
	}
	if guide, ok := rules.Guide(c.rules.folder, own); ok && guide.Name == name {
		return guide.Text, nil
	}
	if path := strings.TrimPrefix(name, "./"); slices.Contains(slices.Collect(maps.Keys(rules.GuidesAbove(c.rules.folder, []string{path}, nil))), path) {
		if guide, ok := rules.ReadGuide(c.rules.folder, path, rules.GuideLimit, own); ok && guide.Name == name {
			return guide.Text, nil
		}
	}
	if !c.rules.UsesDefaults() {
		return rules.Read(c.rules.folder, name)
	}
	program, err := rules.Program(c.rules.defaults)
	if err != nil {
		return "", err
	}
	for _, r := range program {
		if r.Name == name {
			return r.Text, nil
		}
	}
	return "", fault.New(fault.NotFound, "there is no rule %s", name)
}

// List returns the rules that a request contains: the folder's AGENTS.md, then its
// rules or the program's.
func (rs *Rules) List() ([]rules.Rule, error) {
	found, err := rs.ownOrDefault()
	if err != nil {
		return nil, err
	}
	if guide, ok := rules.Guide(rs.folder, found); ok {
		found = append([]rules.Rule{guide}, found...)
	}
	return found, nil
}

// Own returns the rules for an agent from elsewhere (SPEC 14.3): the folder's own. The program's are
// about its tools, and such an agent reads AGENTS.md by itself.
func (rs *Rules) Own() ([]rules.Rule, error) {
	if rs.UsesDefaults() {
		return nil, nil
	}
	return rs.ownOrDefault()
}

// Nested returns, as rules, the AGENTS.md files of the folders that contain paths, and those that
// joined the notebook before, sorted by name. others are the other rules: together they have at
// most rules.GuideLimit bytes, and a file without room has no text. counts says which of the paths
// count: see rules.GuidesAbove.
func (rs *Rules) Nested(touched []string, counts func(string) bool, joined []string, others []rules.Rule) (found []rules.Rule) {
	why := rules.GuidesAbove(rs.folder, touched, counts)
	for _, name := range joined {
		path := strings.TrimPrefix(name, "./")
		if _, here := why[path]; here || !rules.IsGuide(path) {
			continue
		}
		for again := range rules.GuidesAbove(rs.folder, []string{path}, nil) {
			if again == path {
				why[path] = ""
			}
		}
	}
	if len(why) == 0 {
		return nil
	}
	paths := slices.Sorted(maps.Keys(why))
	rs.trust.AddGuides(paths)
	trust := rs.trust.Standing()
	room := rules.GuideLimit
	for _, r := range others {
		if r.Path != "" && rules.IsGuide(rs.relative(r.Path)) {
			room -= len(r.Text)
		}
	}
	for _, path := range paths {
		r, ok := rules.ReadGuide(rs.folder, path, max(0, room), others)
		if !ok {
			continue
		}
		room -= len(r.Text)
		r.Held = trust.Trusted && !trust.Counts(path, "")
		if r.Note = "it joined earlier in this notebook"; why[path] != "" {
			r.Note = "it joined because of " + why[path]
		}
		found = append(found, r)
	}
	return found
}

// relative returns a path relative to the folder, with slashes.
func (rs *Rules) relative(path string) string {
	rel, err := filepath.Rel(rs.folder, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

func (rs *Rules) ownOrDefault() ([]rules.Rule, error) {
	if rs.UsesDefaults() {
		return rules.Program(rs.defaults)
	}
	return rules.List(rs.folder)
}

// UsesDefaults reports whether the default rules apply: the folder is trusted and has no rules
// folder. They apply without being written to it.
func (rs *Rules) UsesDefaults() bool {
	return rs.defaults != nil && !rules.Has(rs.folder) && rs.trust.Trusted()
}

// ChangeRules copies the default rules into the folder, where the person can edit
// them. From then on only the copies apply. It returns the path of the rules
// folder.
func (c *Calls) ChangeRules() (string, error) {
	if !c.rules.registry.StaysInside(rules.Folder(c.rules.folder)) {
		return "", fault.New(fault.Invalid, "write rules: %s leads out of this folder", rules.Folder(c.rules.folder))
	}
	if !c.rules.trust.Trusted() {
		return "", fault.New(fault.Invalid, "write rules: trust this folder first")
	}
	program, err := rules.Program(c.rules.defaults)
	if err != nil {
		return "", err
	}
	wrote := map[string]string{}
	for _, r := range program {
		wrote[".mutsumi/rules/"+r.Name] = r.Text
	}
	// Record them before they exist, so that nobody is asked to trust what the program wrote.
	if err := c.rules.trust.Know(wrote); err != nil {
		return "", err
	}
	if err := rules.Write(c.rules.folder, program); err != nil {
		return "", err
	}
	c.rules.out.Emit(event.ContextChanged{Rules: true})
	return c.rules.registry.PathOf(rules.Folder(c.rules.folder)), nil
}

// Watch publishes that requests and the trust in rules may have changed whenever the files change,
// until ctx ends. start runs a function in the background.
func (rs *Rules) Watch(ctx context.Context, start func(func()), publishTrust func(always bool)) {
	first, _ := rs.List()
	start(func() {
		// Without file watches, the list is still read again whenever it is shown.
		rules.Watch(ctx, rs.folder, func() {
			if now, _ := rs.List(); !reflect.DeepEqual(now, first) { // before the watch began
				rs.out.Emit(event.ContextChanged{Rules: true})
			}
			publishTrust(false)
		}, func() {
			rs.out.Emit(event.ContextChanged{Rules: true})
			publishTrust(false)
		})
	})
}
