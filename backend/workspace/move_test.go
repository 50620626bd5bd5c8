package workspace_test

import (
	"strings"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
)

func TestAnAgentIsMovedUnderAnother(t *testing.T) {
	t.Parallel()
	d := open(t, "", writeCall("a.txt", "1")+"answer\ntext done")
	one, two := d.create("One"), d.create("Two")
	child, err := d.Create(catalog.NewNotebook{Name: "Child", ParentID: d.node(one).UUID})
	if err != nil {
		t.Fatal(err)
	}
	parent := func(path string) string { return d.node(path).ParentID }
	if err := d.Move(child, d.node(two).UUID); err != nil {
		t.Fatal(err)
	}
	if parent(child) != d.node(two).UUID {
		t.Errorf("it is below %q", parent(child))
	}
	d.untilOnDisk(child, d.node(two).UUID)
	// An agent cannot be its own descendant, even through another agent.
	for _, to := range []string{d.node(two).UUID, d.node(child).UUID} {
		if err := d.Move(two, to); !fault.Is(err, fault.Invalid) {
			t.Errorf("below %s: %v", to, err)
		}
	}
	if err := d.Move(child, "none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if err := d.Move("none.mtm", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if err := d.Move(child, ""); err != nil || parent(child) != "" {
		t.Errorf("%v: below %q", err, parent(child))
	}
	if _, err := d.Undo(child); err != nil || parent(child) != d.node(two).UUID {
		t.Errorf("undone, %v: below %q", err, parent(child))
	}

	// An agent stays where it is while it works.
	d.run(child, d.prompt(child, "write"), runner.RunCell)
	asked := d.asks()
	if err := d.Move(child, ""); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "stop it") {
		t.Errorf("%v", err)
	}
	if err := d.ResolveApproval(asked.ID, approval.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
}

// What an agent may touch is limited by its parents, even by a later one.
func TestAMovedAgentHasNoMoreThanItsParent(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	folder, secret := elsewhere(t)
	path, narrow := d.create("Wide"), d.create("Narrow")
	if err := d.AllowFolder(path, folder); err != nil {
		t.Fatal(err)
	}
	if !d.reads(path, secret) {
		t.Fatal("it got the folder")
	}
	if err := d.Move(path, d.node(narrow).UUID); err != nil {
		t.Fatal(err)
	}
	if d.reads(path, secret) {
		t.Error("it reads what its parent may not touch")
	}
}
