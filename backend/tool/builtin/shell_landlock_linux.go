package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rules are made with system calls of our own. A library that restricts all threads of a
// program (go-landlock, with psx) brings C code that wraps thread creation into the build with the
// window; here one thread is enough, since it becomes the command right afterwards (enter).

// Versions of Landlock from which on it covers something.
const (
	signalScope   = 6 // signals to processes outside, and their abstract sockets
	socketVersion = 9 // sockets that have a path
)

// landlockVersion is the kernel's version of Landlock; 0: none.
var landlockVersion = sync.OnceValue(func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
})

const (
	landRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	landFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
)

// devices are files that programs expect to be able to write.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// capabilities are those that root keeps in a command. The others reach past the rules: into other
// processes, the kernel, devices and the clock.
var capabilities = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID,
	unix.CAP_NET_BIND_SERVICE, unix.CAP_NET_RAW, unix.CAP_SYS_CHROOT, unix.CAP_SYS_NICE, unix.CAP_SETFCAP,
}

// confine keeps the calling thread, and its successors, from writing outside the given places, from
// connecting to all but the given sockets, and from the private folders.
func confine(k keeper) error {
	version := landlockVersion()
	access := uint64(landRead | landWrite)
	if version >= 2 {
		access |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		access |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		access |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= socketVersion {
		access |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	attr := struct{ fs, net, scoped uint64 }{fs: access}
	size := uintptr(8)
	if version >= signalScope { // nothing outside is sent a signal or spoken to: this program least of all
		attr.scoped, size = unix.LANDLOCK_SCOPE_SIGNAL|unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, 24
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make rules: %w", errno)
	}
	defer unix.Close(int(fd))
	if err := allow(int(fd), "/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
		return err
	}
	private := existing(k.Private)
	for _, p := range beside("/", private) {
		if err := allow(int(fd), p, access&landRead); err != nil && !lacks(err) {
			return err
		}
	}
	for _, place := range slices.Concat(k.Writable, devices) {
		for _, p := range beside(place, private) {
			if err := allow(int(fd), p, access); err != nil && !errors.Is(err, unix.ENOENT) {
				return err
			}
		}
	}
	if version >= socketVersion {
		for _, p := range slices.Concat(k.Sockets, resolvers) {
			if err := allow(int(fd), p, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX); err != nil && !lacks(err) {
				return err
			}
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // the capabilities for making the mounts
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if !slices.Contains(capabilities, c) {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // others than root cannot, and need not
		}
	}
	_, _ = unix.KeyctlJoinSessionKeyring("") // without the keys that the person's session holds
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up further rights: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("put the rules in force: %w", errno)
	}
	return nil
}

// lacks reports whether a rule was not made because its file does not exist or cannot be opened.
func lacks(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) }

// beside returns the paths to allow so that a place is allowed without the private folders in it:
// rules can only add, so it lists everything next to these. A place inside one of them stays as it
// is.
func beside(place string, private []string) (paths []string) {
	real, err := filepath.EvalSymlinks(place)
	if err != nil {
		return []string{place} // it is not there
	}
	switch {
	case slices.ContainsFunc(private, func(dir string) bool { return dir != real && within(dir, real) }):
	case slices.Contains(private, real):
		return nil
	default:
		return []string{real}
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return nil // an unlistable folder cannot be split
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 { // its target is allowed in its own place, or not
			paths = append(paths, beside(filepath.Join(real, e.Name()), private)...)
		}
	}
	return paths
}

func allow(rules int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= landFile
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("allow %s: %w", filepath.Base(path), errno)
	}
	return nil
}
