package desktop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/fault"
)

// finderTime is how long the Finder may take; the first time the system asks
// the person whether the program may steer it.
const finderTime = 30 * time.Second

// trashScript gets the path as an argument, never as a piece of script.
const trashScript = `on run argv
	tell application "Finder" to delete (POSIX file (item 1 of argv) as alias)
end run`

// Trash moves a file or a folder to the trash of the person: through the
// Finder, which remembers where it was; without it into ~/.Trash. Nothing is
// ever deleted.
func Trash(path string) error {
	abs, _, err := subject(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), finderTime)
	defer cancel()
	if exec.CommandContext(ctx, "/usr/bin/osascript", "-e", trashScript, abs).Run() == nil {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return fault.New(fault.Invalid, "move %s to the trash: %w", path, err)
	}
	ext := filepath.Ext(abs)
	stem := strings.TrimSuffix(filepath.Base(abs), ext)
	for n := 1; n < 10000; n++ {
		name := stem + ext
		if n > 1 {
			name = fmt.Sprintf("%s %d%s", stem, n, ext)
		}
		to := filepath.Join(home, ".Trash", name)
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(abs, to); err != nil {
			return fault.New(fault.Invalid, "move %s to the trash: %w", path, err)
		}
		return nil
	}
	return fault.New(fault.Invalid, "move %s to the trash: it holds too many files of this name", path)
}

// Reveal shows a file or folder in the Finder, selected.
func Reveal(path string) error {
	abs, _, err := subject(path)
	if err != nil {
		return err
	}
	if err := exec.Command("/usr/bin/open", "-R", abs).Run(); err != nil {
		return fault.New(fault.NotFound, "the Finder could not be opened: the file is %s", abs).Because(err)
	}
	return nil
}
