package git

import (
	"os"
	"os/exec"
	"path/filepath"
)

// link makes a name of ours refer to one of the repository. Links need a right here that not
// everybody has; a folder is then joined, and a file copied in its present state.
func link(to, name string) error {
	_ = os.Remove(name)
	if os.Symlink(to, name) == nil {
		return nil
	}
	info, err := os.Stat(to)
	switch {
	case err != nil:
		return nil // it does not exist
	case info.IsDir():
		return exec.Command(filepath.Join(os.Getenv("SYSTEMROOT"), "System32", "cmd.exe"), "/c", "mklink", "/J", name, to).Run()
	}
	return os.WriteFile(name, upTo(to, 64<<20), 0o600)
}
