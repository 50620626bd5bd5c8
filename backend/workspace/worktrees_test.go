package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/worktree"
)

// commit makes the desk's folder a repository with its current files.
func (d *desk) commit() {
	d.t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = d.folder
		if out, err := cmd.CombinedOutput(); err != nil {
			d.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// treeFork is a script's line that starts one child in its own work tree.
const treeFork = `tool self_fork {"children":[{"name":"Éditor one","prompt":"do it","worktree":true}]}` + "\n"

func names(v worktree.View) []string {
	list := []string{}
	for _, f := range v.Files {
		list = append(list, f.Status+" "+f.Path)
	}
	return list
}

func TestAChildInAWorkTreeOfItsOwn(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", "text I split this.\n"+treeFork)+
		`answer when "do it"`+"\ntool read_file {\"uri\":\"src/a.txt\"}\n"+
		`answer when "do it"`+"\ntool write_file {\"uri\":\"src/a.txt\",\"content\":\"agent\\n\"}\n"+
		`answer when "do it"`+"\ntool write_file {\"uri\":\"new.txt\",\"content\":\"new\\n\"}\n"+
		`answer when "do it"`+"\ntool shell {\"command\":\"echo $PWD > where.txt\"}\n"+
		finishing("do it", "done")+saying("PARENT", "text All done."))
	d.write("src/a.txt", "not yet\n")
	d.commit()
	d.write("src/a.txt", "folder\n") // not committed
	path, _ := d.fork()
	for range 3 {
		d.allow()
	}
	d.untilOver(path)

	if got := d.onDisk("src/a.txt"); got != "folder\n" {
		t.Errorf("the folder has %q", got)
	}
	child := d.agentNamed("Éditor one", finished).File
	if text := d.onDisk(child); strings.Contains(text, d.folder) || !strings.Contains(text, "\".\"") {
		t.Error("the notebook does not say that its agent may touch the folder, wherever that is")
	}
	v, err := d.Worktree(child)
	if err != nil || strings.HasPrefix(v.Folder, d.folder) || !strings.HasPrefix(v.Branch, "mutsumi/ditor-one-") {
		t.Fatalf("%+v %v", v, err)
	}
	if want := []string{"added new.txt", "changed src/a.txt", "added where.txt"}; !reflect.DeepEqual(names(v), want) {
		t.Errorf("%v", names(v))
	}
	if b, _ := os.ReadFile(filepath.Join(v.Folder, "where.txt")); strings.TrimSpace(string(b)) != v.Folder {
		t.Errorf("commands run in %q", b)
	}
	use, err := d.FileUse(child)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range use {
		if h.File == "src/a.txt" {
			t.Errorf("reads and writes in its work tree count for the folder: %+v", h)
		}
	}
	if _, err := d.MergeWorktree(path); !fault.Is(err, fault.NotFound) {
		t.Errorf("the parent has none: %v", err)
	}

	below := func(of string) string {
		t.Helper()
		list, err := d.ChildTrees(of)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, c := range list {
			out += fmt.Sprintf("%s %d %d %t", c.Name, c.Files, c.Conflict, c.Path == child)
		}
		return out
	}
	if got := below(path) + below(child); got != "Éditor one 3 0 true" {
		t.Errorf("the parent has to merge %q", got)
	}
	d.write("src/a.txt", "person\n")
	if v, err = d.MergeWorktree(child); err != nil || v.Merged || !reflect.DeepEqual(v.Conflict, []string{"src/a.txt"}) || d.onDisk("src/a.txt") != "person\n" {
		t.Fatalf("%+v %v", v.Conflict, err)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "new.txt")); err == nil {
		t.Error("a merge with conflicts wrote something")
	}
	if v, err = d.UpdateWorktree(child); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(v.Folder, "src/a.txt")); !strings.Contains(string(b), "<<<<<<<") {
		t.Errorf("%q", b)
	}
	if err := os.WriteFile(filepath.Join(v.Folder, "src/a.txt"), []byte("both\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err = d.MergeWorktree(child); err != nil || !v.Merged || len(v.Files) > 0 || d.onDisk("src/a.txt")+d.onDisk("new.txt") != "both\nnew\n" {
		t.Fatalf("%+v %v %q", v, err, d.onDisk("src/a.txt"))
	}

	if got := below(path); got != "" {
		t.Errorf("merged, and the parent has to merge %q", got)
	}

	// Files that the merge wrote are among the agent's changes and can be undone.
	changes, err := d.Changes(child)
	if err != nil {
		t.Fatal(err)
	}
	merged := false
	for _, c := range changes {
		merged = merged || c.Path == "new.txt"
	}
	if !merged {
		t.Errorf("%+v", changes)
	}

	if err := d.DiscardWorktree(child); err != nil {
		t.Fatal(err)
	}
	if after, err := d.Worktree(child); err != nil || after.Folder != "" || after.Files == nil {
		t.Errorf("%+v %v", after, err)
	}
	if _, err := os.Stat(v.Folder); err == nil {
		t.Error("the work tree is still there")
	}
}

// treeChild runs a parent whose only child wrote a file in its own work tree.
func treeChild(t *testing.T) (d *desk, child string) {
	t.Helper()
	d = open(t, "", saying("PARENT", "text I split this.\n"+treeFork)+
		`answer when "do it"`+"\ntool read_file {\"uri\":\"a.txt\"}\n"+
		`answer when "do it"`+"\ntool write_file {\"uri\":\"a.txt\",\"content\":\"agent\\n\"}\n"+
		finishing("do it", "done")+saying("PARENT", "text All done."))
	d.write("a.txt", "folder\n")
	d.commit()
	path, _ := d.fork()
	d.allow()
	d.untilOver(path)
	child = d.agentNamed("Éditor one", finished).File
	if v, err := d.Worktree(child); err != nil || !reflect.DeepEqual(names(v), []string{"changed a.txt"}) {
		t.Fatalf("%+v, %v; the child: %s", v, err, d.onDisk(child))
	}
	return d, child
}

func TestAMergeIsTakenBackAndMergedAgain(t *testing.T) {
	t.Parallel()
	d, child := treeChild(t)
	if v, err := d.MergeWorktree(child); err != nil || !v.Merged || !v.Undoable || d.onDisk("a.txt") != "agent\n" {
		t.Fatalf("%+v %v", v, err)
	}
	d.write("a.txt", "person\n")
	if _, err := d.UnmergeWorktree(child); !fault.Is(err, fault.Conflict) || d.onDisk("a.txt") != "person\n" {
		t.Errorf("a file that was changed since: %v, %q", err, d.onDisk("a.txt"))
	}
	d.write("a.txt", "agent\n")
	v, err := d.UnmergeWorktree(child)
	if err != nil || v.Undoable || d.onDisk("a.txt") != "folder\n" || !reflect.DeepEqual(names(v), []string{"changed a.txt"}) {
		t.Fatalf("%+v %v %q", v, err, d.onDisk("a.txt"))
	}
	if _, err := d.UnmergeWorktree(child); !fault.Is(err, fault.NotFound) {
		t.Errorf("a second time: %v", err)
	}
	if v, err := d.MergeWorktree(child); err != nil || !v.Merged || d.onDisk("a.txt") != "agent\n" {
		t.Errorf("%+v %v", v, err)
	}
}

// Deleting a notebook loses none of its agent's work in its work tree.
func TestDeletingANotebookSparesItsWorkTree(t *testing.T) {
	t.Parallel()
	d, child := treeChild(t)
	before, err := d.Worktree(child)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Trash(child); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "the first is a.txt") {
		t.Fatalf("deleted with work in its tree: %v", err)
	}
	if d.onDisk(child) == "" {
		t.Error("the notebook is gone all the same")
	}
	if b, _ := os.ReadFile(filepath.Join(before.Folder, "a.txt")); string(b) != "agent\n" {
		t.Errorf("the work tree has %q", b)
	}
	if _, err := d.MergeWorktree(child); err != nil {
		t.Fatal(err)
	}
	if err := d.Trash(child); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(before.Folder); err == nil {
		t.Error("an empty work tree outlives its notebook")
	}
	if d.onDisk("a.txt") != "agent\n" {
		t.Errorf("the merged text is gone: %q", d.onDisk("a.txt"))
	}
}

// A notebook that was removed from outside may come back: its work tree waits for it.
func TestAWorkTreeOutlivesAFileThatIsTakenAway(t *testing.T) {
	t.Parallel()
	d, child := treeChild(t)
	before, err := d.Worktree(child)
	if err != nil {
		t.Fatal(err)
	}
	file, aside := filepath.Join(d.folder, filepath.FromSlash(child)), filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(file, aside); err != nil {
		t.Fatal(err)
	}
	d.untilTree("Parent")
	if b, _ := os.ReadFile(filepath.Join(before.Folder, "a.txt")); string(b) != "agent\n" {
		t.Errorf("the work tree has %q", b)
	}
	if err := os.Rename(aside, file); err != nil {
		t.Fatal(err)
	}
	d.untilTree("Parent", "Éditor one")
	if v, err := d.Worktree(child); err != nil || v.Folder != before.Folder || !reflect.DeepEqual(names(v), []string{"changed a.txt"}) {
		t.Errorf("%+v %v", v, err)
	}
}

func TestNoWorkTreeWithoutARepository(t *testing.T) {
	t.Parallel()
	d := open(t, "", saying("PARENT", treeFork)+saying("PARENT", "text So be it."))
	path := d.create("Parent")
	cell := d.prompt(path, "PARENT")
	d.run(path, cell, "cell")
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.Contains(got, "in no git repository") {
		t.Error(got)
	}
}

// A notebook cannot name a work tree: only work trees made here count.
func TestANotebookNamesNoWorkTree(t *testing.T) {
	t.Parallel()
	d := open(t, "", `answer when "x"`+"\ntool read_file {\"uri\":\"a.txt\"}\nanswer\ntext ok")
	d.write("a.txt", "mine")
	d.commit()
	path := d.create("Loose")
	cell := d.prompt(path, "x")
	d.run(path, cell, "cell")
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.Contains(got, "mine") {
		t.Error(got)
	}
	if v, err := d.Worktree(path); err != nil || v.Folder != "" {
		t.Errorf("%+v %v", v, err)
	}
}
