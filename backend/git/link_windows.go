package git

import (
	"os"
	"os/exec"
	"path/filepath"
)

// link lets a name of our own stand for one of the repository. Links need a
// right here that not everybody has; a folder is joined then, and a file copied,
// as it is at this moment.
func link(to, name string) error {
	_ = os.Remove(name)
	if os.Symlink(to, name) == nil {
		return nil
	}
	info, err := os.Stat(to)
	switch {
	case err != nil:
		return nil // there is none
	case info.IsDir():
		return exec.Command(filepath.Join(os.Getenv("SYSTEMROOT"), "System32", "cmd.exe"), "/c", "mklink", "/J", name, to).Run()
	}
	return os.WriteFile(name, upTo(to, 64<<20), 0o600)
}
