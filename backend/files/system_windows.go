package files

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

const nonblock = 0

// special reports whether a path is a device: \\.\PhysicalDrive0, \\?\pipe\x.
func special(real string) bool {
	return strings.HasPrefix(real, `\\.\`) || strings.HasPrefix(real, `\\?\`)
}

func fromKernel(*os.File) bool { return false }

func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
