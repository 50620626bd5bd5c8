// Package folderrules says which rules the requests of a folder have: those in
// the folder, or the program's where it has none. Package rules reads the files.
package folderrules

import (
	"context"
	"io/fs"
	"mutsumi/backend/access"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/rules"
)

// View is a rule that counts in the folder.
type View struct {
	Name string `json:"name"`
	Path string `json:"path"` // relative to the folder; "" of the program's own
}

// Rules are those that requests from a folder have. It is safe for concurrent
// use.
type Rules struct {
	registry *documents.Registry
	defaults fs.FS
	folder   string
	trust    *access.Trust
	out      *event.Outbox
}

// New makes the rules of a folder; defaults are the program's own, nil for none.
func New(reg *documents.Registry, defaults fs.FS, folder string, trust *access.Trust, out *event.Outbox) *Rules {
	return &Rules{reg, defaults, folder, trust, out}
}

// Calls are what the person asks of it. Package workspace embeds them.
type Calls struct{ rules *Rules }

// Calls gives what the person asks of it.
func (f *Rules) Calls() *Calls { return &Calls{f} }

// Rules lists the rules that count in the folder: its own, or the program's
// where it has none.
func (c *Calls) Rules() ([]View, error) {
	found, err := c.rules.ListRules()
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

// Rule gives the text of a rule that counts in the folder.
func (c *Calls) Rule(name string) (string, error) {
	if !c.rules.AreOfProgram() {
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

// ListRules lists the rules that a request has.
func (f *Rules) ListRules() ([]rules.Rule, error) {
	if f.AreOfProgram() {
		return rules.Program(f.defaults)
	}
	return rules.List(f.folder)
}

// AreOfProgram reports whether the program's rules count: in a folder that is
// trusted and has no folder of rules. Nothing is written there for it.
func (f *Rules) AreOfProgram() bool {
	return f.defaults != nil && !rules.Has(f.folder) && f.trust.Trusted()
}

// ChangeRules writes the program's rules into the folder, where the person can
// change them; from then on only what is there counts. It returns the path of
// the folder of rules.
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
	// Known before they are there: nobody is asked about what the program wrote.
	if err := c.rules.trust.Know(wrote); err != nil {
		return "", err
	}
	if err := rules.Write(c.rules.folder, program); err != nil {
		return "", err
	}
	c.rules.out.Emit(event.ContextChanged{Rules: true})
	return c.rules.registry.PathOf(rules.Folder(c.rules.folder)), nil
}

// FollowRules tells when rules change on disk.
func (f *Rules) FollowRules(ctx context.Context, start func(func()), tellTrust func(always bool)) {
	start(func() {
		// Where the system cannot watch, the list is read again when it is shown.
		rules.Watch(ctx, f.folder, func() {
			f.out.Emit(event.ContextChanged{Rules: true})
			tellTrust(false)
		})
	})
}
