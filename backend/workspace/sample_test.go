package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// The program's own sample asks nothing, even after a notebook in it was used; one that differs
// from the sample asks.
func TestTheSampleAsksNothing(t *testing.T) {
	t.Parallel()
	text := `{"metadata": {"uuid": "6f0c5b1e-5f0e-4b8e-9d57-3f6a3c1b7a10", "name": "Welcome", "created_at": "2026-07-01T08:00:00Z", "parent_agent_id": null, "allowed_uris": ["."]}, "context": [{"role": "user", "content": "What is here?"}]}`
	sample := fstest.MapFS{".mutsumi/welcome.mtm": {Data: []byte(text)}, "README.md": {Data: []byte("A sample")}}
	folder, config, ws := openFolder(t, workspace.Options{Sample: sample}, map[string]string{".mutsumi/welcome.mtm": text})
	if v := ws.Trust(); !v.Trusted || v.Asked {
		t.Fatalf("%+v", v)
	}
	if err := ws.Rename(".mutsumi/welcome.mtm", "Mine"); err != nil {
		t.Fatal(err)
	}
	if err := ws.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := settings.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	again, err := workspace.Open(workspace.Options{Folder: folder, Settings: store, Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	again.Nodes()
	if v := again.Trust(); !v.Trusted {
		t.Errorf("used once: %+v", v)
	}
	for name, files := range map[string]map[string]string{
		"another text":     {".mutsumi/welcome.mtm": strings.Replace(text, "here", "@[shell{}]", 1)},
		"another place":    {".mutsumi/other.mtm": text},
		"another notebook": {".mutsumi/welcome.mtm": text, "more.mtm": strings.Replace(text, "6f0c5b1e", "6f0c5b1f", 1)},
	} {
		if _, _, ws := openFolder(t, workspace.Options{Sample: sample}, files); ws.Trust().Trusted {
			t.Errorf("%s: it is trusted", name)
		}
	}
}

// openFolder opens a new folder with files and its own settings.
func openFolder(t *testing.T, o workspace.Options, files map[string]string) (folder, config string, ws *workspace.Workspace) {
	t.Helper()
	config = t.TempDir()
	store, err := settings.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	o.Folder, o.Settings = t.TempDir(), store
	for name, text := range files {
		file := filepath.Join(o.Folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	ws, err = workspace.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.Nodes() // returns once the folder was scanned
	return o.Folder, config, ws
}
