package builtin

import (
	"os"
	"path/filepath"
	"testing"
)

// The bash of Git is found from git.exe, or where Git is installed; the one of WSL is not taken.
func TestFindShellOnWindows(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	wsl, store := put("Windows/System32/bash.exe"), put("AppData/Local/Microsoft/WindowsApps/bash.exe")
	t.Setenv("SystemRoot", filepath.Join(dir, "Windows"))
	t.Setenv("ProgramFiles", filepath.Join(dir, "Program Files"))
	t.Setenv("LocalAppData", filepath.Join(dir, "AppData", "Local"))
	for _, path := range []string{wsl, store} {
		t.Setenv("PATH", filepath.Dir(path))
		if got, err := findShell(); err == nil {
			t.Errorf("%s is taken", got)
		}
	}
	own := put("msys/usr/bin/bash.exe")
	t.Setenv("PATH", filepath.Dir(wsl)+";"+filepath.Dir(own))
	if got, err := findShell(); err == nil {
		t.Errorf("%s is taken although WSL's comes first", got)
	}
	t.Setenv("PATH", filepath.Dir(own)+";"+filepath.Dir(wsl))
	if got, err := findShell(); err != nil || got != own {
		t.Errorf("%s, %v", got, err)
	}
	for _, c := range []struct{ git, bash string }{
		{"", "Program Files/Git/bin/bash.exe"},
		{"Tools/Git/cmd/git.exe", "Tools/Git/bin/bash.exe"},
		{"Other/mingw64/bin/git.exe", "Other/bin/bash.exe"},
	} {
		want := put(c.bash)
		t.Setenv("PATH", filepath.Dir(wsl))
		if c.git != "" {
			t.Setenv("PATH", filepath.Dir(wsl)+";"+filepath.Dir(put(c.git)))
		}
		if got, err := findShell(); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
