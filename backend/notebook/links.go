package notebook

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// SaveLinked is Save for a file that has other names (hard links): they get the new version too.
// Each name has a whole version at every moment. A name that received another version in the
// meantime keeps it.
func SaveLinked(path string, others []string, s io.WriterTo, expect Stamp) (Stamp, error) {
	stamp, err := save(path, others, s, expect)
	if err != nil {
		return Stamp{}, fmt.Errorf("save %s: %w", filepath.Base(path), diskFault(err))
	}
	return stamp, nil
}

// linkOthers gives the new file at target the other names of its predecessor,
// according to seen. An error does not undo the save.
func linkOthers(target string, others []string, seen Stamp) {
	for _, name := range others {
		if linkOver(target, name, seen) == nil {
			syncDir(filepath.Dir(name))
		}
	}
}

func linkOver(target, name string, seen Stamp) error {
	if info, err := os.Lstat(name); err != nil || !seen.looksLike(info) {
		return errChanged
	}
	link := tempName(filepath.Dir(name))
	if err := os.Link(target, link); err != nil {
		return err
	}
	defer os.Remove(link)
	switch err := exchange(link, name); {
	case errors.Is(err, errors.ErrUnsupported):
		return os.Rename(link, name)
	case err != nil:
		return err
	}
	if replaced(link, seen) {
		return nil
	}
	// Another program wrote there: its version has the name again.
	if err := exchange(link, name); err != nil {
		kept := &tempFile{name: link}
		return kept.spare(name)
	}
	return errChanged
}

func tempName(dir string) string {
	return filepath.Join(dir, fmt.Sprintf("%s%d-%s%s", tempPrefix, os.Getpid(), rand.Text()[:10], tempSuffix))
}
