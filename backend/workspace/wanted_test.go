package workspace_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// A notebook that was opened by its file is in front of the first page. Later ones go to the
// existing page.
func TestAnOpenedFileIsInFront(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	a, b := d.create("A"), d.create("B")
	if err := d.SaveUI(settings.UIState{Tabs: []string{a}, Active: a}); err != nil {
		t.Fatal(err)
	}
	file := func(path string) string { return filepath.Join(d.Folder(), filepath.FromSlash(path)) }
	for _, other := range []string{filepath.Join(filepath.Dir(d.Folder()), "other.mtm"), d.Folder(), file("text.md")} {
		if d.ShowNotebook(other) {
			t.Errorf("%s counts as a notebook of the folder", other)
		}
	}
	if !d.ShowNotebook(file(b)) {
		t.Fatal("the notebook does not count as one of the folder")
	}
	first, err := d.Snapshot()
	if err != nil || first.UI.Active != b || !slices.Equal(first.UI.Tabs, []string{a, b}) {
		t.Fatalf("the first page shows %q of %q, %v", first.UI.Active, first.UI.Tabs, err)
	}
	if again, err := d.Snapshot(); err != nil || again.UI.Active != a || !slices.Equal(again.UI.Tabs, []string{a}) {
		t.Errorf("a reloaded page shows %q of %q, %v", again.UI.Active, again.UI.Tabs, err)
	}
	d.ShowNotebook(file(a))
	all := d.until(is("cellWanted"))
	if e := all[len(all)-1]; e.Data["path"] != a || e.Data["cell"] != "" {
		t.Errorf("got %+v", all[len(all)-1])
	}
}

// A new notebook is added to the list of agents before the page is told to show it: the page shows
// only what the list has.
func TestANewFileIsListedBeforeItIsShown(t *testing.T) {
	t.Parallel()
	d := openWith(t, "", "", settings.ModelView{ID: "scripted"}, nil, workspace.Options{Quiet: true}) // nobody else looks at the folder
	if _, err := d.Snapshot(); err != nil {
		t.Fatal(err)
	}
	d.write(".mutsumi/new.mtm", `{"metadata": {"uuid": "u-new", "name": "New"}, "context": []}`)
	if !d.ShowNotebook(filepath.Join(d.Folder(), ".mutsumi", "new.mtm")) {
		t.Fatal("the notebook does not count as one of the folder")
	}
	listed := false
	for _, e := range d.until(is("cellWanted")) {
		listed = listed || e.Type == "treeChanged"
	}
	if !listed {
		t.Error("the page is told to show a notebook that it does not know")
	}
}

// A notebook may be named by another link than the folder.
func TestAnOpenedFileMayLeadThroughALink(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	for folder, through := range map[string]string{real: link, link: real} {
		d := openWith(t, folder, "", settings.ModelView{ID: "scripted"}, nil, workspace.Options{Quiet: true})
		path := d.create("A")
		if !d.ShowNotebook(filepath.Join(through, filepath.FromSlash(path))) {
			t.Errorf("%s by %s does not count as a notebook of the folder", path, through)
		}
		if first, err := d.Snapshot(); err != nil || first.UI.Active != path {
			t.Errorf("the first page shows %q, %v", first.UI.Active, err)
		}
	}
}

// Of two groups of tabs, the active one gets the notebook.
func TestAnOpenedFileIsInTheGroupInUse(t *testing.T) {
	t.Parallel()
	d := ruleFolder(t, true)
	a, b := d.create("A"), d.create("B")
	beside := settings.Beside{Tabs: []string{a}, Active: a, Front: true, Share: 40}
	if err := d.SaveUI(settings.UIState{Tabs: []string{a}, Active: a, Beside: &beside}); err != nil {
		t.Fatal(err)
	}
	if !d.ShowNotebook(filepath.Join(d.Folder(), filepath.FromSlash(b))) {
		t.Fatal("the notebook does not count as one of the folder")
	}
	first, err := d.Snapshot()
	want := &settings.Beside{Tabs: []string{a, b}, Active: b, Front: true, Share: 40}
	if err != nil || first.UI.Active != a || !reflect.DeepEqual(first.UI.Beside, want) {
		t.Fatalf("beside %q of %q is %+v, %v", first.UI.Active, first.UI.Tabs, first.UI.Beside, err)
	}
	if again, err := d.Snapshot(); err != nil || !reflect.DeepEqual(again.UI.Beside, &beside) {
		t.Errorf("a reloaded page shows %+v, %v", again.UI.Beside, err)
	}
}
