package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// hidePrivate covers the folders of this program's settings and state: a command neither reads nor
// writes there, whatever folders it may write. A place of the command inside one of them, its work
// tree, stays. The calling process has mounts of its own (ownMounts).
func hidePrivate(k keeper) error {
	places := existing(k.Writable)
	for _, dir := range k.Private {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // it does not exist
		}
		if err := pinAround(real, places); err != nil {
			return fmt.Errorf("hold the folders around %s: %w", dir, err)
		}
		if err := hideFolder(real, places); err != nil {
			return fmt.Errorf("hide %s: %w", dir, err)
		}
	}
	return nil
}

// pinAround keeps a command that may write around a hidden folder from moving the folders on the
// way to it and putting others in their place. A mount can be neither moved nor removed.
func pinAround(dir string, places []string) error {
	for _, place := range places {
		if place == dir || !within(dir, place) {
			continue
		}
		rel, err := filepath.Rel(place, filepath.Dir(dir))
		if err != nil {
			return err
		}
		at := place
		for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
			if part == "." {
				continue
			}
			at = filepath.Join(at, part)
			if err := unix.Mount(at, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func hideFolder(dir string, places []string) error {
	if slices.Contains(places, dir) {
		return nil
	}
	if !slices.ContainsFunc(places, func(p string) bool { return within(p, dir) }) {
		return unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "size=4k,mode=0555")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			err = hideFolder(path, places)
		case e.Type().IsRegular():
			err = unix.Mount(os.DevNull, path, "", unix.MS_BIND, "")
		}
		if err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
