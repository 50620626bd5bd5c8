package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// The folder is taken away and made again, or another one takes its place: it
// is followed as before.
func TestAFolderThatIsReplacedIsFollowedAgain(t *testing.T) {
	for what, replace := range map[string]func(folder string) error{
		"deleted and made again": func(folder string) error {
			if err := os.RemoveAll(folder); err != nil {
				return err
			}
			return os.Mkdir(folder, 0o755)
		},
		"moved away": func(folder string) error {
			if err := os.Rename(folder, folder+"-old"); err != nil {
				return err
			}
			return os.Mkdir(folder, 0o755)
		},
	} {
		t.Run(what, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "ws")
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			d := open(t, folder, "")
			d.write("a.mtm", notebookText("a", "A"))
			d.untilTree("A")
			if err := replace(folder); err != nil {
				t.Fatal(err)
			}
			d.write("b.mtm", notebookText("b", "B"))
			d.untilTree("B")
			d.write("sub/c.mtm", notebookText("c", "C"))
			d.untilTree("B", "C")
		})
	}
}

// What the program keeps of its own cannot be written, as on a disk that is
// full: the folder opens all the same, and says so.
func TestAFolderOpensThoughItsStateCannotBeKept(t *testing.T) {
	folder, state := t.TempDir(), t.TempDir()
	t.Setenv("MUTSUMI_CONFIG", t.TempDir())
	t.Setenv("MUTSUMI_STATE", state)
	if err := os.MkdirAll(filepath.Join(state, "recent.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	store, err := settings.Open("")
	if err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Folder: folder, CacheDir: cacheOf(folder), Settings: store})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	path, err := w.Create(workspace.NewNotebook{Name: "made"})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := w.Snapshot(); err != nil || len(v.Nodes) != 1 || v.Nodes[0].File != path || len(v.Notices) != 1 || !strings.Contains(v.Notices[0], "Could not write") {
		t.Errorf("%+v, %v", v, err)
	}
}
