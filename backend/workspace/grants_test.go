package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// Grants of notebooks that were never opened are listed and can be revoked; another person's
// program does not know them.
func TestGrantsOfClosedNotebooksAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Closed")
	rule := approval.Rule{Tool: "shell", Pattern: "go test*", Scope: approval.Notebook}
	if err := d.AddApprovalRule(path, rule); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if other := open(t, d.folder, ""); len(rulesOf(t, other)) != 0 {
		t.Errorf("a grant of another program counts: %+v", rulesOf(t, other))
	}
	again := reopen(t, d.folder, d.config)
	rules := rulesOf(t, again)
	if len(rules) != 1 || rules[0].Pattern != "go test*" || rules[0].Notebook == "" {
		t.Fatalf("got %+v", rules)
	}
	if err := again.RevokeApprovalRule(rules[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if text := d.onDisk(path); strings.Contains(text, "go test*") {
		t.Errorf("the grant is still in the file: %s", text)
	}
}

// reopen is open with the settings and the state of an earlier program.
func reopen(t *testing.T, folder, config string) *workspace.Workspace {
	t.Helper()
	store, err := settings.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Folder: folder, CacheDir: cacheOf(folder), Settings: store, Connect: func(settings.Endpoint) request.Connection { return request.Connection{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	w.Nodes()
	return w
}

func rulesOf(t *testing.T, w interface {
	ApprovalRules(string) ([]approval.Rule, error)
}) []approval.Rule {
	t.Helper()
	rules, err := w.ApprovalRules("")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// A notebook that is renamed on disk keeps its grants; a deleted one takes them along.
func TestGrantsFollowTheFile(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Moved")
	v, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.AddApprovalRule(path, approval.Rule{Tool: "shell", Pattern: "ls*", Scope: approval.Notebook}); err != nil {
		t.Fatal(err)
	}
	if err := d.CloseNotebook(path); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(d.folder, "moved.mtm")
	if err := os.Rename(filepath.Join(d.folder, path), moved); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		return e.Type == "treeChanged" && len(d.Nodes()) == 1 && d.Nodes()[0].File == "moved.mtm"
	})
	for deadline := time.Now().Add(time.Minute); len(rulesOf(t, d.Workspace)) != 1; time.Sleep(time.Millisecond) { // after the tree
		if time.Now().After(deadline) {
			t.Fatalf("after the move %+v", rulesOf(t, d.Workspace))
		}
	}
	if err := os.Remove(moved); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool {
		return e.Type == "grantsChanged" && e.Data["notebook"] == v.Meta.UUID && len(rulesOf(t, d.Workspace)) == 0
	})
}

// Deleting a notebook removes the grants of its agent, its commands, and their output.
func TestADeletedNotebookLeavesNothingRunning(t *testing.T) {
	d := open(t, "", "answer\ntool shell {\"command\":\"echo started; sleep 1000\",\"background\":true}\nanswer\ntext going")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	path := d.create("Deleted")
	v, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range []approval.Scope{approval.Agent, approval.Notebook} {
		if err := d.AddApprovalRule(path, approval.Rule{Tool: "shell", Pattern: "*", Scope: scope}); err != nil {
			t.Fatal(err)
		}
	}
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilFinished(1)
	if tasks, err := d.Tasks(); err != nil || len(tasks) != 1 || tasks[0].EndedMs != 0 {
		t.Fatalf("got %+v, %v", tasks, err)
	}
	output := outputOf(d, v.Meta.UUID)
	if err := d.Trash(path); err != nil {
		t.Fatal(err)
	}
	if tasks, err := d.Tasks(); err != nil || len(tasks) != 1 || tasks[0].EndedMs == 0 || tasks[0].ExitCode != -1 {
		t.Errorf("its command runs on: %+v, %v", tasks, err)
	}
	if rules := rulesOf(t, d.Workspace); len(rules) != 0 {
		t.Errorf("grants remain: %+v", rules)
	}
	if _, err := os.Stat(output); !os.IsNotExist(err) {
		t.Errorf("its output still exists: %v", err)
	}
}

// A grant for "this agent" ends with its task.
func TestAGrantForAnAgentEndsWithItsTask(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool task_finish {\"summary\":\"done\"}")
	parent := d.create("Parent")
	p, err := d.Notebook(parent)
	if err != nil {
		t.Fatal(err)
	}
	child, err := d.Create(catalog.NewNotebook{Name: "Child", ParentID: p.Meta.UUID})
	if err != nil {
		t.Fatal(err)
	}
	for path, pattern := range map[string]string{child: "ls", parent: "pwd"} {
		if err := d.AddApprovalRule(path, approval.Rule{Tool: "shell", Pattern: pattern, Scope: approval.Agent}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.CloseNotebook(child); err != nil { // closing its tab must end nothing
		t.Fatal(err)
	}
	if rules := rulesOf(t, d.Workspace); len(rules) != 2 {
		t.Errorf("got %+v", rules)
	}
	d.run(child, d.prompt(child, "go"), runner.RunCell)
	d.untilFinished(1)
	if rules := rulesOf(t, d.Workspace); len(rules) != 1 || rules[0].Pattern != "pwd" {
		t.Errorf("got %+v", rules)
	}
}

// Output that was not used for two weeks is removed when a folder is opened; output in use stays,
// and so does everything beside it.
func TestOldOutputIsPruned(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	root := filepath.Join(cacheOf(folder), "output")
	for name, days := range map[string]int{"old": 15, "fresh": 13} {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		at := time.Now().AddDate(0, 0, -days)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, folder, "")
	if err := d.Close(); err != nil { // waits for background work
		t.Fatal(err)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 || left[0].Name() != "fresh" {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(cacheOf(folder), "checkpoints")); err != nil {
		t.Errorf("the store was not opened with the folder: %v", err)
	}
}

// The simulator allows whatever a run may write without asking.
func TestSimulateCountsTheScratchFolder(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Scratch")
	v, err := d.Notebook(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Simulate(path, "true"); err != nil {
		t.Fatal(err)
	}
	command := "echo x > " + filepath.Join(outputOf(d, v.Meta.UUID), "x.txt")
	if got, err := d.Simulate(path, command); err != nil || len(got.Parts) != 2 || got.Parts[1].Outcome != approval.Allow {
		t.Errorf("got %+v, %v", got, err)
	}
}

// outputOf returns the folder of an agent's long output.
func outputOf(d *desk, uuid string) string {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(cacheOf(d.folder), "output", uuid+"-*"))
	if err != nil || len(found) != 1 {
		d.t.Fatalf("found %v, %v", found, err)
	}
	return found[0]
}
