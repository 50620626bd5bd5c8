package files

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO from waiting for its other end.
const nonblock = unix.O_NONBLOCK | unix.O_NOCTTY

// special reports whether a path with its links resolved is where the kernel exposes itself as
// files: reading there can hang, and reveals secrets.
func special(real string) bool {
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if real == dir || strings.HasPrefix(real, dir+"/") {
			return !strings.HasPrefix(real, "/dev/shm/")
		}
	}
	return false
}

// kernelMagic are the file systems that are not disks, wherever mounted.
var kernelMagic = map[int64]bool{
	unix.PROC_SUPER_MAGIC:    true,
	unix.SYSFS_MAGIC:         true,
	unix.DEBUGFS_MAGIC:       true,
	unix.TRACEFS_MAGIC:       true,
	unix.SECURITYFS_MAGIC:    true,
	unix.CGROUP_SUPER_MAGIC:  true,
	unix.CGROUP2_SUPER_MAGIC: true,
	unix.BPF_FS_MAGIC:        true,
}

// fromKernel reports whether an open file is the kernel's, not a disk's.
func fromKernel(f *os.File) bool {
	var st unix.Statfs_t
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	kernel := false
	if err := conn.Control(func(fd uintptr) {
		if unix.Fstatfs(int(fd), &st) == nil {
			kernel = kernelMagic[int64(st.Type)]
		}
	}); err != nil {
		return false
	}
	return kernel
}

func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
