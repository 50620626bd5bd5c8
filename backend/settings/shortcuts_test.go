package settings

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestShortcutsAreKept(t *testing.T) {
	s := store(t, "preferences:\n  # mine\n  keys:\n    window.find: [Ctrl+P]\n    other.later: [Alt+X]\n")
	want := map[string][]string{"window.find": {"Ctrl+P"}, "other.later": {"Alt+X"}}
	p := s.Preferences()
	if !reflect.DeepEqual(p.Keys, want) {
		t.Fatalf("keys are %v", p.Keys)
	}
	p.Keys["window.open"] = []string{}
	p.Keys["cell.remove"] = []string{"X X", "Ctrl++"}
	must(t, s.ChangePreferences(s.Preferences(), p))
	if got := s.Preferences().Keys; !reflect.DeepEqual(got, p.Keys) {
		t.Errorf("keys are %v after saving", got)
	}
	if raw, err := os.ReadFile(s.Path()); err != nil || !strings.Contains(string(raw), "# mine") {
		t.Errorf("the comment is gone: %s %v", raw, err)
	}
	p.Keys = nil
	must(t, s.ChangePreferences(s.Preferences(), p))
	if got := s.Preferences().Keys; got == nil || len(got) > 0 {
		t.Errorf("keys are %v after they were reset", got)
	}
}

func TestShortcutsThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct{ file, problem string }{
		"unknown modifier": {"preferences:\n  keys:\n    window.find: [Strg+P]\n    window.open: [F4]\n", `line 3: the keys of window.find are written as Ctrl+Shift+P, not "Strg+P"; the usual keys hold`},
		"no action":        {"preferences:\n  keys:\n    find: [F4]\n    window.open: [F4]\n", "line 3: `keys` names an action as window.find, not \"find\"; the usual keys hold"},
	} {
		s := store(t, c.file)
		if got := s.Preferences().Keys; !reflect.DeepEqual(got, map[string][]string{"window.open": {"F4"}}) {
			t.Errorf("%s: keys are %v", name, got)
		}
		if v := s.View(); !strings.HasSuffix(v.Problem, ": "+c.problem) {
			t.Errorf("%s: %q", name, v.Problem)
		}
	}
	s := store(t, "preferences:\n  keys: Ctrl+P\n")
	if v := s.View(); !strings.Contains(v.Problem, "line 2: here is text (Ctrl+P)") || len(s.Preferences().Keys) > 0 {
		t.Errorf("a text for the list of keys: %q", v.Problem)
	}
	p := s.Preferences()
	p.Keys = map[string][]string{"window.find": {"Ctrl P Q"}}
	if err := s.ChangePreferences(s.Preferences(), p); err == nil {
		t.Error("saved keys of three presses")
	}
}
