package workspace

import (
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/rules"
)

// Rules lists the rules that count in the folder: its own, or the program's
// where it has none.
func (w *Workspace) Rules() ([]RuleView, error) {
	found, err := w.ruleList()
	if err != nil {
		return nil, err
	}
	views := make([]RuleView, len(found))
	for i, r := range found {
		if views[i] = (RuleView{Name: r.Name}); r.Path != "" {
			views[i].Path = w.registry.PathOf(r.Path)
		}
	}
	return views, nil
}

// Rule gives the text of a rule that counts in the folder.
func (w *Workspace) Rule(name string) (string, error) {
	if !w.ruledByProgram() {
		return rules.Read(w.folder, name)
	}
	program, err := rules.Program(w.defaults)
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

// ruleList lists the rules that a request has.
func (w *Workspace) ruleList() ([]rules.Rule, error) {
	if w.ruledByProgram() {
		return rules.Program(w.defaults)
	}
	return rules.List(w.folder)
}

// ruledByProgram reports whether the program's rules count: in a folder that is
// trusted and has no folder of rules. Nothing is written there for it.
func (w *Workspace) ruledByProgram() bool {
	return w.defaults != nil && !rules.Has(w.folder) && w.trust.Trusted()
}

// ChangeRules writes the program's rules into the folder, where the person can
// change them; from then on only what is there counts. It returns the path of
// the folder of rules.
func (w *Workspace) ChangeRules() (string, error) {
	if !w.registry.StaysInside(rules.Folder(w.folder)) {
		return "", fault.New(fault.Invalid, "write rules: %s leads out of this folder", rules.Folder(w.folder))
	}
	if !w.trust.Trusted() {
		return "", fault.New(fault.Invalid, "write rules: trust this folder first")
	}
	program, err := rules.Program(w.defaults)
	if err != nil {
		return "", err
	}
	wrote := map[string]string{}
	for _, r := range program {
		wrote[".mutsumi/rules/"+r.Name] = r.Text
	}
	// Known before they are there: nobody is asked about what the program wrote.
	if err := w.trust.Know(wrote); err != nil {
		return "", err
	}
	if err := rules.Write(w.folder, program); err != nil {
		return "", err
	}
	w.out.Emit(event.ContextChanged{Rules: true})
	return w.registry.PathOf(rules.Folder(w.folder)), nil
}

// followRules tells when rules change on disk.
func (w *Workspace) followRules() {
	w.tasks.Go(func() {
		// Where the system cannot watch, the list is read again when it is shown.
		rules.Watch(w.ctx, w.folder, func() {
			w.out.Emit(event.ContextChanged{Rules: true})
			w.tellTrust(false)
		})
	})
}
