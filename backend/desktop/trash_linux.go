package desktop

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mutsumi/backend/fault"
)

// Trash moves a file or a folder to the person's trash, following the freedesktop.org trash
// specification 1.0, so that the file manager can restore it. A link itself is moved, not its
// target. Nothing is ever deleted: if no trash can take it, it stays and the error says why.
func Trash(path string) error {
	abs, info, err := subject(path)
	if err != nil {
		return err
	}
	home, err := homeTrash()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fault.New(fault.Invalid, "move %s to the trash: the trash cannot be made: %w", path, err)
	}
	homeInfo, err := os.Stat(home)
	if err != nil {
		return fmt.Errorf("move %s to the trash: %w", path, err)
	}
	if device(info) == device(homeInfo) {
		// Bind mounts and subvolumes can share a device and still be apart.
		if err := into(home, abs, abs, path); !errors.Is(err, syscall.EXDEV) {
			return err
		}
		return copyInto(home, abs, path)
	}
	// On another file system: its own trash, with a path relative to its top.
	top, err := mountTop(abs, device(info))
	if err != nil {
		return fmt.Errorf("move %s to the trash: %w", path, err)
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return fmt.Errorf("move %s to the trash: %w", path, err)
	}
	var last error
	for _, find := range []func(string) (string, error){sharedTrash, ownTrash} {
		dir, err := find(top)
		if err == nil {
			err = into(dir, abs, rel, path)
		}
		if err == nil {
			return nil
		}
		last = errors.Join(last, err)
	}
	// Rename does not cross file systems; the rules allow copying to the home trash.
	if err := copyInto(home, abs, path); err != nil {
		return errors.Join(err, last)
	}
	return nil
}

// homeTrash is $XDG_DATA_HOME/Trash.
func homeTrash() (string, error) {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "Trash"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.New(fault.Invalid, "find the trash: %w", err)
	}
	return filepath.Join(home, ".local", "share", "Trash"), nil
}

func device(info fs.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Dev)
}

// mountTop climbs to the highest folder that is on the same file system.
func mountTop(abs string, dev uint64) (string, error) {
	top := filepath.Dir(abs)
	for top != "/" {
		info, err := os.Lstat(filepath.Dir(top))
		if err != nil {
			return "", err
		}
		if device(info) != dev {
			break
		}
		top = filepath.Dir(top)
	}
	return top, nil
}

// sharedTrash is $top/.Trash/$uid, which an administrator set up: it must be a
// folder, no link, and have the sticky bit.
func sharedTrash(top string) (string, error) {
	dir := filepath.Join(top, ".Trash")
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || info.Mode()&fs.ModeSticky == 0 {
		return "", fmt.Errorf("%s is not a shared trash: it needs to be a folder with the sticky bit", dir)
	}
	return private(filepath.Join(dir, strconv.Itoa(os.Getuid())))
}

// ownTrash is $top/.Trash-$uid.
func ownTrash(top string) (string, error) {
	return private(filepath.Join(top, ".Trash-"+strconv.Itoa(os.Getuid())))
}

// private creates a folder of the person's own and refuses one that is not.
func private(dir string) (string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid() {
		return "", fmt.Errorf("%s is not a folder of this user", dir)
	}
	return dir, nil
}

// into moves a file into a trash on the same file system. recorded is the path
// that the .trashinfo names.
func into(trash, abs, recorded, path string) error {
	name, err := reserve(trash, filepath.Base(abs), recorded)
	if err != nil {
		return fault.New(fault.Invalid, "move %s to the trash %s: %w", path, trash, err)
	}
	if err := os.Rename(abs, filepath.Join(trash, "files", name)); err != nil {
		_ = os.Remove(infoFile(trash, name))
		return fault.New(fault.Invalid, "move %s to the trash %s: %w", path, trash, err)
	}
	return nil
}

// copyInto is into for a trash on another file system: it makes a copy, complete and synced, before
// it removes the original.
func copyInto(trash, abs, path string) error {
	name, err := reserve(trash, filepath.Base(abs), abs)
	if err != nil {
		return fault.New(fault.Invalid, "move %s to the trash %s: %w", path, trash, err)
	}
	to := filepath.Join(trash, "files", name)
	if err := copyTree(abs, to); err != nil {
		err = errors.Join(err, os.RemoveAll(to), os.Remove(infoFile(trash, name)))
		return fault.New(fault.Invalid, "move %s to the trash %s: %w", path, trash, err)
	}
	if err := os.RemoveAll(abs); err != nil {
		return fault.New(fault.Invalid, "Could not remove %s after copying it to the trash: %w", path, err)
	}
	return nil
}

func infoFile(trash, name string) string {
	return filepath.Join(trash, "info", name+".trashinfo")
}

// reserve takes a free name by making its .trashinfo, which must be made
// first and exclusively.
func reserve(trash, base, recorded string) (string, error) {
	for _, dir := range []string{"files", "info"} {
		if err := os.Mkdir(filepath.Join(trash, dir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	if stem == "" {
		stem, ext = base, ""
	}
	if len(stem) > 200 {
		stem = strings.ToValidUTF8(stem[:200], "")
	}
	for n := 1; n < 100000; n++ {
		name := stem + ext
		if n > 1 {
			name = stem + "." + strconv.Itoa(n) + ext
		}
		if _, err := os.Lstat(filepath.Join(trash, "files", name)); err == nil {
			continue
		}
		f, err := os.OpenFile(infoFile(trash, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		text := "[Trash Info]\nPath=" + (&url.URL{Path: recorded}).EscapedPath() + "\nDeletionDate=" + time.Now().Format("2006-01-02T15:04:05") + "\n"
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(f.Name())
			return "", err
		}
		return name, nil
	}
	return "", fmt.Errorf("it holds too many files named %s", base)
}
