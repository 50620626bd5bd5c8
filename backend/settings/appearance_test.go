package settings

import (
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

func TestDensityFontsAndLanguage(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := s.Preferences()
	if p.Density != Comfortable || p.Font != "" || p.CodeFont != "" {
		t.Errorf("%+v", p)
	}
	p.Density, p.Font, p.CodeFont = Compact, "思源黑体 CN", "Fira Code"
	if err := s.ChangePreferences(s.Preferences(), p); err != nil {
		t.Fatal(err)
	}
	if p = s.Preferences(); p.Density != Compact || p.Font != "思源黑体 CN" || p.CodeFont != "Fira Code" {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{`a"; x`, "url(x)", "a\\b", "a\nb", " a", strings.Repeat("x", 65)} {
		q := p
		q.Font = bad
		if err := s.ChangePreferences(s.Preferences(), q); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if p.Language != "system" {
		t.Errorf("language %q", p.Language)
	}
	q := p
	q.Language = "zh-CN"
	if err := s.ChangePreferences(s.Preferences(), q); err != nil || s.Preferences().Language != "zh-CN" {
		t.Errorf("%v, %q", err, s.Preferences().Language)
	}
	q.Language = "tlh"
	if err := s.ChangePreferences(s.Preferences(), q); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
	q = p
	q.Density = "tight"
	if err := s.ChangePreferences(s.Preferences(), q); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}
