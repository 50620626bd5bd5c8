package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mutsumi/backend/runner"
)

// The usage of an agent and its children is not lost with their notebooks: the costs of its
// parent's tree never decrease, not even across a restart.
func TestWhatADeletedAgentUsedStaysCounted(t *testing.T) {
	d := priced(t, "answer\ntext root\nusage 3 1\nanswer\ntext child\nusage 5 2\nanswer\ntext grandchild\nusage 1 1")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root := d.create("Root")
	child := d.child(root, "Child")
	grandchild := d.child(child, "Grandchild")
	for _, path := range []string{root, child, grandchild} {
		d.run(path, d.prompt(path, "go"), runner.RunCell)
		d.untilFinished(1)
	}
	before := d.node(root).Subtree
	if before.Cost != 13e9 {
		t.Fatalf("spent %+v", before)
	}
	for _, gone := range []string{grandchild, child} {
		if err := d.Trash(gone); err != nil {
			t.Fatal(err)
		}
		if got := d.node(root).Subtree; got.Cost != before.Cost || got.Tokens != before.Tokens {
			t.Errorf("after %s was deleted: %+v, before %+v", gone, got, before)
		}
	}
	if got := d.spent(root); got.Requests != 3 || got.Cost != "$13.00" {
		t.Errorf("the root says %+v", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := open(t, d.folder, "").spent(root); got.Requests != 3 || got.Input != 9 {
		t.Errorf("after a restart %+v", got)
	}
}

// An agent that is restored from the trash counts itself again, and its parent no longer does:
// nothing counts twice, whether the program runs or not.
func TestAnAgentFromTheTrashIsCountedOnce(t *testing.T) {
	for name, closed := range map[string]bool{"while the program runs": false, "while it does not": true} {
		t.Run(name, func(t *testing.T) {
			d := priced(t, "answer\ntext root\nusage 3 1\nanswer\ntext child\nusage 5 2\nanswer\ntext grandchild\nusage 1 1")
			t.Setenv("XDG_DATA_HOME", t.TempDir())
			root := d.create("Root")
			child := d.child(root, "Child")
			grandchild := d.child(child, "Grandchild")
			files := map[string][]byte{}
			for _, path := range []string{root, child, grandchild} {
				d.run(path, d.prompt(path, "go"), runner.RunCell)
				d.untilFinished(1)
			}
			before := d.node(root).Subtree
			for _, gone := range []string{grandchild, child} {
				d.untilSaved(gone)
				text, err := os.ReadFile(filepath.Join(d.folder, gone))
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Trash(gone); err != nil {
					t.Fatal(err)
				}
				files[gone] = text
			}
			if closed {
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
			back := func(path string) { d.write(path, string(files[path])) }
			back(child)
			if closed {
				d = open(t, d.folder, "")
			}
			counted := func(path string, requests int) {
				t.Helper()
				for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
					own, all := d.spent(path).Requests, d.node(root).Subtree
					if own == requests && all.Tokens == before.Tokens {
						return
					}
					if time.Now().After(deadline) {
						t.Fatalf("%s counts %d requests, want %d; all together %+v, before %+v", path, own, requests, all, before)
					}
				}
			}
			counted(root, 1)
			counted(child, 2)
			back(grandchild)
			counted(child, 1)
			counted(root, 1)
		})
	}
}
