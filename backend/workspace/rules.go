package workspace

import (
	"context"
	"io/fs"
	"mutsumi/backend/access"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/rules"
)

// folderRules are the rules that requests from the folder have.
type folderRules struct {
	*notebooks
	defaults fs.FS // the program's rules; nil: none
	folder   string
	trust    *access.Trust
	out      *event.Outbox
}

// Rules lists the rules that count in the folder: its own, or the program's
// where it has none.
func (f *folderRules) Rules() ([]RuleView, error) {
	found, err := f.list()
	if err != nil {
		return nil, err
	}
	views := make([]RuleView, len(found))
	for i, r := range found {
		if views[i] = (RuleView{Name: r.Name}); r.Path != "" {
			views[i].Path = f.registry.PathOf(r.Path)
		}
	}
	return views, nil
}

// Rule gives the text of a rule that counts in the folder.
func (f *folderRules) Rule(name string) (string, error) {
	if !f.areOfProgram() {
		return rules.Read(f.folder, name)
	}
	program, err := rules.Program(f.defaults)
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

// list lists the rules that a request has.
func (f *folderRules) list() ([]rules.Rule, error) {
	if f.areOfProgram() {
		return rules.Program(f.defaults)
	}
	return rules.List(f.folder)
}

// areOfProgram reports whether the program's rules count: in a folder that is
// trusted and has no folder of rules. Nothing is written there for it.
func (f *folderRules) areOfProgram() bool {
	return f.defaults != nil && !rules.Has(f.folder) && f.trust.Trusted()
}

// ChangeRules writes the program's rules into the folder, where the person can
// change them; from then on only what is there counts. It returns the path of
// the folder of rules.
func (f *folderRules) ChangeRules() (string, error) {
	if !f.registry.StaysInside(rules.Folder(f.folder)) {
		return "", fault.New(fault.Invalid, "write rules: %s leads out of this folder", rules.Folder(f.folder))
	}
	if !f.trust.Trusted() {
		return "", fault.New(fault.Invalid, "write rules: trust this folder first")
	}
	program, err := rules.Program(f.defaults)
	if err != nil {
		return "", err
	}
	wrote := map[string]string{}
	for _, r := range program {
		wrote[".mutsumi/rules/"+r.Name] = r.Text
	}
	// Known before they are there: nobody is asked about what the program wrote.
	if err := f.trust.Know(wrote); err != nil {
		return "", err
	}
	if err := rules.Write(f.folder, program); err != nil {
		return "", err
	}
	f.out.Emit(event.ContextChanged{Rules: true})
	return f.registry.PathOf(rules.Folder(f.folder)), nil
}

// follow tells when rules change on disk.
func (f *folderRules) follow(ctx context.Context, start func(func()), tellTrust func(always bool)) {
	start(func() {
		// Where the system cannot watch, the list is read again when it is shown.
		rules.Watch(ctx, f.folder, func() {
			f.out.Emit(event.ContextChanged{Rules: true})
			tellTrust(false)
		})
	})
}
