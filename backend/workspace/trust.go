package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mutsumi/backend/event"
	"mutsumi/backend/kind"
	"mutsumi/backend/rules"
)

// trusted reports whether what the folder brings takes effect (SPEC 4.2).
func (w *Workspace) trusted() bool {
	if w.trustOnce {
		return true
	}
	trusted, _ := w.settings.Trusted(w.folder)
	return trusted
}

// Trust says what the folder brings and whether it takes effect.
func (w *Workspace) Trust() TrustView {
	v := TrustView{Trusted: w.trusted(), Rules: []string{}, Skills: []string{}, Kinds: []string{}}
	_, v.Asked = w.settings.Trusted(w.folder)
	if found, err := rules.List(w.folder); err == nil {
		for _, r := range found {
			v.Rules = append(v.Rules, r.Name)
		}
	}
	skills, err := os.ReadDir(filepath.Join(w.folder, ".mutsumi", "skills"))
	if err == nil {
		for _, s := range skills {
			v.Skills = append(v.Skills, strings.TrimSuffix(s.Name(), ".md"))
		}
	}
	if found, err := kind.Shelf(w.folder).List(); err == nil {
		for _, k := range found {
			v.Kinds = append(v.Kinds, strings.TrimSuffix(k.Name, ".md"))
		}
	}
	w.mu.Lock()
	v.Notebooks = len(w.heads)
	w.mu.Unlock()
	return v
}

// trustIfBare trusts a folder that nobody was asked about and that brings
// nothing which could take effect: what comes into it from here on is the
// person's own. Called once everything has been looked at.
func (w *Workspace) trustIfBare() {
	if _, asked := w.settings.Trusted(w.folder); asked {
		return
	}
	if v := w.Trust(); len(v.Rules)+len(v.Skills)+len(v.Kinds)+v.Notebooks == 0 {
		w.settings.Trust(w.folder, true) // not kept: the person is asked another time
	}
}

// TrustFolder keeps what the person said of the folder.
func (w *Workspace) TrustFolder(trusted bool) error {
	if err := w.settings.Trust(w.folder, trusted); err != nil {
		return err
	}
	w.out.Emit(event.TrustChanged{Trusted: trusted})
	w.out.Emit(event.ContextChanged{Rules: true})
	w.tellKinds()
	return nil
}

// Rules lists the rules of the folder.
func (w *Workspace) Rules() ([]RuleView, error) {
	found, err := rules.List(w.folder)
	if err != nil {
		return nil, err
	}
	views := make([]RuleView, len(found))
	for i, r := range found {
		views[i] = RuleView{Name: r.Name, Path: w.PathOf(r.Path)}
	}
	return views, nil
}

// Rule gives the text of a rule.
func (w *Workspace) Rule(name string) (string, error) { return rules.Read(w.folder, name) }

// initRules copies the default rules into a trusted folder that has none.
func (w *Workspace) initRules() error {
	if w.defaults == nil || !w.trusted() {
		return nil
	}
	made, err := rules.Init(w.folder, w.defaults)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder that cannot be written has no rules of ours
	}
	if len(made) > 0 {
		w.out.Emit(event.ContextChanged{Rules: true})
	}
	return err
}

// followRules tells when rules change on disk.
func (w *Workspace) followRules() {
	w.tasks.Go(func() {
		// Where the system cannot watch, the list is read again when it is shown.
		rules.Watch(w.ctx, w.folder, func() { w.out.Emit(event.ContextChanged{Rules: true}) })
	})
}
