package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/runner"
	"mutsumi/backend/workspace"
)

// ruled is one of several windows of the same person.
type ruled interface {
	AddApprovalRule(string, approval.Rule) error
	ApprovalRules(string) ([]approval.Rule, error)
	RevokeApprovalRule(string) error
}

func always(tool, pattern string, deny bool) approval.Rule {
	return approval.Rule{Tool: tool, Pattern: pattern, Deny: deny, Scope: approval.Always}
}

func addRule(t *testing.T, w ruled, r approval.Rule) {
	t.Helper()
	if err := w.AddApprovalRule("", r); err != nil {
		t.Fatal(err)
	}
}

// revokeRule removes the rule with a pattern.
func revokeRule(t *testing.T, w ruled, pattern string) {
	t.Helper()
	for _, r := range rulesOf(t, w) {
		if r.Pattern == pattern {
			if err := w.RevokeApprovalRule(r.ID); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no rule %s: %+v", pattern, rulesOf(t, w))
}

func patternsOf(t *testing.T, w ruled) string {
	t.Helper()
	var list []string
	for _, r := range rulesOf(t, w) {
		list = append(list, r.Pattern)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

func trusted(t *testing.T, w *workspace.Workspace) *workspace.Workspace {
	t.Helper()
	if err := w.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	return w
}

// Two windows of one person do not overwrite each other's rules for always, and what one of them
// revokes holds in neither.
func TestWindowsShareTheRulesForAlways(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Agent")
	trusted(t, d.Workspace)
	other := trusted(t, reopen(t, t.TempDir(), d.config))
	outcome := func(command string) approval.Outcome {
		t.Helper()
		v, err := d.Simulate(path, command)
		if err != nil {
			t.Fatal(err)
		}
		return v.Outcome
	}
	addRule(t, d, always("shell", "make *", false))
	addRule(t, other, always("shell", "git push*", true))
	if outcome("make all") != approval.Allow || outcome("git push") != approval.Deny {
		t.Errorf("make %s, git push %s", outcome("make all"), outcome("git push"))
	}
	revokeRule(t, other, "make *")
	if got := outcome("make all"); got != approval.Ask {
		t.Errorf("a grant that another window revoked: %s", got)
	}
	addRule(t, d, always("shell", "ls *", false))
	for name, w := range map[string]ruled{"one": d, "the other": other, "a new one": reopen(t, t.TempDir(), d.config)} {
		if got := patternsOf(t, w); got != "git push*,ls *" {
			t.Errorf("%s has %s", name, got)
		}
	}
}

// A window shows what another one changes without being asked, and its waiting requests are decided.
func TestARuleOfAnotherWindowDecidesWhatWaits(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\n"+writeCall("a.txt", "a")+"answer when \"rejected\"\ntext done")
	other := reopen(t, t.TempDir(), d.config)
	path := d.create("Agent")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.asks()
	addRule(t, other, always("write_file", "**", true))
	told := slices.ContainsFunc(d.until(is("runFinished")), func(e item) bool { return e.Type == "grantsChanged" && e.Data["notebook"] == "" })
	if !told || d.isThere("a.txt") {
		t.Errorf("told %v, written %v", told, d.isThere("a.txt"))
	}
}

// Changes made at the same time in one window are all stored.
func TestRulesAddedAtTheSameTimeAreStored(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	const n = 20
	for i := range n {
		addRule(t, d, always("shell", fmt.Sprintf("old%02d", i), false))
	}
	var all sync.WaitGroup
	for i, r := range rulesOf(t, d) {
		all.Go(func() {
			if err := d.RevokeApprovalRule(r.ID); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := d.AddApprovalRule("", always("shell", fmt.Sprintf("new%02d", i), true)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := patternsOf(t, reopen(t, t.TempDir(), d.config))
	if got != patternsOf(t, d) || strings.Count(got, "new") != n || strings.Contains(got, "old") {
		t.Errorf("stored are %s", got)
	}
}

// A damaged file is reported and left alone; the rules of the window still hold, and what it changed
// meanwhile is stored once the file is mended.
func TestADamagedFileOfRulesIsNotOverwritten(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	addRule(t, d, always("shell", "rm*", true))
	file := filepath.Join(d.state, "approvals.json")
	replace := func(text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(file+".new", []byte(text), 0o600), os.Rename(file+".new", file)); err != nil {
			t.Fatal(err)
		}
	}
	replace("{")
	addRule(t, d, always("shell", "git push*", true))
	d.until(func(e item) bool { return e.Type == "notebookSaved" && e.Data["fault"] != nil })
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "{" {
		t.Errorf("it was overwritten: %s, %v", raw, err)
	}
	if got := patternsOf(t, d); got != "git push*,rm*" {
		t.Errorf("got %s", got)
	}
	replace(`{"rules":[{"tool":"shell","pattern":"ls","deny":true}]}`)
	addRule(t, d, always("shell", "pwd", true))
	if got := patternsOf(t, d); got != "git push*,ls,pwd" {
		t.Errorf("got %s", got)
	}
}
