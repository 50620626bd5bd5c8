//go:build unix

package git

import "os"

// link lets a name of our own stand for one of the repository.
func link(to, name string) error {
	if _, err := os.Readlink(name); err == nil {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return os.Symlink(to, name)
}
