package media

import (
	"io/fs"
	"os"
	"path/filepath"
)

// owned is always true: the temporary folder of Windows is the user's own.
func owned(fs.FileInfo) bool { return true }

// fallbackFolder is used when the usual folder cannot be used.
func fallbackFolder() string { return filepath.Join(os.TempDir(), folderName+"-2") }
