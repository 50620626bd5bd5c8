//go:build unix && !linux

package files

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// nonblock keeps the opening of a FIFO from waiting for its other end.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// special reports whether a path with its links resolved is a device.
func special(real string) bool { return real == "/dev" || strings.HasPrefix(real, "/dev/") }

func fromKernel(*os.File) bool { return false }

func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
