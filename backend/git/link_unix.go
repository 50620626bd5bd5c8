//go:build unix

package git

import "os"

// link makes a name of ours refer to one of the repository.
func link(to, name string) error {
	if _, err := os.Readlink(name); err == nil {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return os.Symlink(to, name)
}
