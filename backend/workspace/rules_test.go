package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/rules"
	"mutsumi/backend/workspace"
)

// SPEC 5.2: if a folder has no rules, the program's own apply, and nothing is written there until
// the person wants to change them.
func TestTheProgramsRulesCountUntilTheyAreChanged(t *testing.T) {
	t.Parallel()
	folder, _, ws := openFolder(t, workspace.Options{Rules: fstest.MapFS{"default.md": {Data: []byte("Be good.")}, "second.md": {Data: []byte("Be brief.")}}}, nil)
	if !ws.Trust().Trusted {
		t.Error("a folder that brings nothing asks")
	}
	path, err := ws.Create(catalog.NewNotebook{})
	if err != nil {
		t.Fatal(err)
	}
	listed := func() (out []string) {
		t.Helper()
		found, err := ws.Rules()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found {
			out = append(out, r.Name+" "+r.Path)
		}
		return out
	}
	inRequest := func() string {
		t.Helper()
		v, err := ws.Context(path, "", "x")
		if err != nil {
			t.Fatal(err)
		}
		out := fmt.Sprint(v.ProgramRules)
		for _, r := range v.Rules {
			out += " " + r.Source
		}
		return out
	}
	if got := listed(); !slices.Equal(got, []string{"default.md ", "second.md "}) || inRequest() != "true default.md second.md" {
		t.Errorf("got %v, %s", got, inRequest())
	}
	if text, err := ws.Rule("default.md"); err != nil || text != "Be good." {
		t.Errorf("got %q, %v", text, err)
	}
	for _, name := range []string{"../../../etc/passwd", "none.md"} {
		if _, err := ws.Rule(name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(folder, ".mutsumi", "rules")); err == nil {
		t.Fatal("rules were written into the folder unasked")
	}

	if where, err := ws.ChangeRules(); err != nil || where != ".mutsumi/rules" {
		t.Fatalf("%q, %v", where, err)
	}
	if err := os.Remove(filepath.Join(folder, ".mutsumi", "rules", "second.md")); err != nil {
		t.Fatal(err)
	}
	if got := listed(); !slices.Equal(got, []string{"default.md .mutsumi/rules/default.md"}) || inRequest() != "false default.md" {
		t.Errorf("got %v, %s", got, inRequest())
	}
	if v := ws.Trust(); !v.Trusted || len(v.Fresh) != 0 {
		t.Errorf("the person is asked about files that the program wrote: %+v", v)
	}
	if _, err := ws.ChangeRules(); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second time: %v", err)
	}
}

// The program's rules are not written into an untrusted folder.
func TestNothingIsWrittenIntoAFolderThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	folder, _, ws := openFolder(t, workspace.Options{Rules: fstest.MapFS{"default.md": {Data: []byte("Be good.")}}}, map[string]string{".mutsumi/agents/sly.md": "---\nname: sly\n---\nx"})
	if _, err := ws.ChangeRules(); err == nil || rules.Has(folder) {
		t.Errorf("got %v", err)
	}
}
