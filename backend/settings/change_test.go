package settings

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Two windows that read the same preferences change different ones: both changes stay.
func TestChangesOfTwoWindowsBothStay(t *testing.T) {
	s := store(t, "preferences:\n  keys:\n    window.find: [Ctrl+P]\n    window.open: [F4]\n")
	from := s.Preferences()
	change := func(set func(*Preferences)) {
		t.Helper()
		to := from
		to.Keys = map[string][]string{"window.find": {"Ctrl+P"}, "window.open": {"F4"}}
		set(&to)
		must(t, s.ChangePreferences(from, to))
	}
	change(func(p *Preferences) { p.Theme = "dark" })
	change(func(p *Preferences) { p.Density = Compact })
	change(func(p *Preferences) { p.Keys["cell.remove"] = []string{"X"} })
	change(func(p *Preferences) { delete(p.Keys, "window.open") })
	change(func(p *Preferences) { p.Keys["window.find"] = []string{} })
	got := s.Preferences()
	if got.Theme != "dark" || got.Density != Compact {
		t.Errorf("theme %s, density %s", got.Theme, got.Density)
	}
	want := map[string][]string{"cell.remove": {"X"}, "window.find": {}}
	if !maps.EqualFunc(got.Keys, want, slices.Equal) {
		t.Errorf("keys are %v, want %v", got.Keys, want)
	}
}

// What somebody meanwhile wrote into the file stays too, and a model changes only together with its provider.
func TestAChangeKeepsWhatTheFileSaysMeanwhile(t *testing.T) {
	s := store(t, "preferences:\n  defaultProvider: a\n  defaultModel: one\n")
	from := s.Preferences()
	if err := os.WriteFile(s.Path(), []byte("# mine\npreferences:\n  stepLimit: 7\n  defaultProvider: b\n  defaultModel: two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := from
	to.Theme = "light"
	must(t, s.ChangePreferences(from, to))
	if p := s.Preferences(); p.Theme != "light" || p.StepLimit != 7 || p.DefaultProvider != "b" || p.DefaultModel != "two" {
		t.Errorf("preferences are %+v", p)
	}
	if raw, err := os.ReadFile(s.Path()); err != nil || !strings.HasPrefix(string(raw), "# mine") {
		t.Errorf("the comment is gone: %s %v", raw, err)
	}
	to = from
	to.DefaultModel = "three" // of the provider that was read
	must(t, s.ChangePreferences(from, to))
	if p := s.Preferences(); p.DefaultProvider != "a" || p.DefaultModel != "three" {
		t.Errorf("the model is %s of %s", p.DefaultModel, p.DefaultProvider)
	}
}
