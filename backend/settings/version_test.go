package settings

import (
	"os"
	"path/filepath"
	"testing"
)

// The version changes with providers, models and prices, and with nothing that is read.
func TestVersion(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "settings.yaml")
	must(t, os.WriteFile(file, []byte(byHand), 0o600))
	s, err := Open(dir)
	must(t, err)
	last := s.Version()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"names that a server listed", func() error { return s.MergeModels("office", []string{"gpt-5-new"}) }},
		{"servers of this machine", func() error {
			s.SetDiscovered([]ProviderView{{ID: "local", BaseURL: "http://127.0.0.1:1"}})
			return nil
		}},
		{"the built-in provider", func() error { s.SetBuiltIn("http://127.0.0.1:2", "", nil); return nil }},
		{"a provider that is deleted", func() error { return s.DeleteProvider("office") }},
		{"an edit by another program", func() error {
			defer s.reload()
			return os.WriteFile(file, []byte("providers: []\n"), 0o600)
		}},
	} {
		must(t, step.do())
		now := s.Version()
		if now == last {
			t.Errorf("%s: the version is the same", step.name)
		}
		last = now
	}
	s.View()
	s.reload()
	if s.Version() != last {
		t.Error("reading is a change")
	}
	if s.Preferences().StepLimit != s.View().Preferences.StepLimit || s.Preferences().Theme == "" {
		t.Errorf("%+v", s.Preferences())
	}
}
