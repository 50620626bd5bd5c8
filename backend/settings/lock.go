package settings

import (
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/filelock"
)

// lockTime is how long an edit waits for another window's edits. One takes
// milliseconds, but on a busy disk much longer, and an edit without the lock
// may undo another one.
const lockTime = 30 * time.Second

// lockFolder keeps the program's other windows, each a process of its own,
// from editing a folder at the same time. Where locks do not work (some
// network disks) the edit continues without: the file is whole in any case.
func lockFolder(dir string) (unlock func()) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {} // writing will report the reason
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(lockTime); !filelock.Try(f) && time.Now().Before(end); {
		time.Sleep(2 * time.Millisecond)
	}
	return func() { _ = f.Close() } // this releases the lock
}
