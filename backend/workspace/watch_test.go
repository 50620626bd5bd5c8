package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/catalog"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// If the program cannot write its own state, for example on a full disk, the folder opens all the
// same, and says so.
func TestAFolderOpensThoughItsStateCannotBeKept(t *testing.T) {
	t.Parallel()
	folder, config := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "state", "recent.json", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	store, err := settings.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(workspace.Options{Folder: folder, CacheDir: cacheOf(folder), Settings: store})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	path, err := w.Create(catalog.NewNotebook{Name: "made"})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := w.Snapshot(); err != nil || len(v.Nodes) != 1 || v.Nodes[0].File != path || len(v.Notices) != 1 || !strings.Contains(v.Notices[0], "Could not write") {
		t.Errorf("%+v, %v", v, err)
	}
}
