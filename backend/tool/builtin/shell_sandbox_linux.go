package builtin

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockVersion is what the kernel offers; 0 is nothing.
var landlockVersion = sync.OnceValue(func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// SandboxStatus says whether commands are confined here.
func SandboxStatus() Status {
	if v := landlockVersion(); v > 0 {
		return Status{true, fmt.Sprintf("Landlock (version %d): commands read everything and write only the allowed folders and a temporary one.", v)}
	}
	return Status{false, "This kernel has no Landlock: commands are not confined, and can write whatever you can."}
}

const (
	landRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	landFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// devices are what programs expect to be able to write.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// confine keeps the calling thread, and what it starts, from writing anywhere
// but in some places.
func confine(places []string) error {
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
	attr := struct{ fs, net, scoped uint64 }{fs: access}
	size := uintptr(8)
	if version >= 6 { // nothing outside can be sent a signal: this program least of all
		attr.scoped, size = unix.LANDLOCK_SCOPE_SIGNAL, 24
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("make rules: %w", errno)
	}
	defer unix.Close(int(fd))
	if err := allow(int(fd), "/", access&landRead); err != nil {
		return err
	}
	for _, p := range append(places, devices...) {
		if err := allow(int(fd), p, access); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	// Root looks into other processes (their environment) past the rules.
	for _, c := range []uintptr{unix.CAP_PERFMON, unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE} {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // others cannot, and need not
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up further rights: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("put the rules in force: %w", errno)
	}
	return nil
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

// signalScope is the version of Landlock from which on a command that is
// confined cannot send a signal to its keeper.
const signalScope = 6

// lifeline is the descriptor that closes when the program goes away.
const lifeline = 3

// keep starts a command, stays its ancestor so that nothing that it started
// is lost from sight, and ends with its status. It ends everything when the
// program that started it goes away. The keeper itself is not confined: so the
// rules keep the command from reaching into it and, where they cover signals,
// from killing it. Elsewhere a second keeper stands between the two, whose
// orphans come to the first.
func keep(k keeper) int {
	if k.Stage == stageEnter {
		return enter(k)
	}
	first := k.Stage == stageKeep
	// What is sent to the command's group is for the command. It is taken and
	// dropped, not ignored: what is ignored stays so in the command.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGTTOU)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failKeeping(err)
	}
	left := &process{mark: os.Getenv(taskMark)}
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	next := k
	next.Stage = stageEnter
	if first {
		unix.CloseOnExec(lifeline)
		go func() {
			var one [1]byte
			for {
				n, err := syscall.Read(lifeline, one[:])
				if err != syscall.EINTR && n <= 0 {
					break
				}
			}
			left.killTree(os.Getpid())
			os.Exit(137)
		}()
		attr.Sys = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
		if !k.Confine || landlockVersion() < signalScope {
			next.Stage = stageSecond
		}
	}
	const self = "/proc/self/exe" // this very program, also when its file was replaced
	proc, err := os.StartProcess(self, append([]string{os.Args[0]}, next.args()...), attr)
	if err != nil {
		return failKeeping(err)
	}
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return failKeeping(err)
		case pid != proc.Pid:
		case status.Signaled():
			left.killTree(os.Getpid())
			return 128 + int(status.Signal())
		case status.Exited():
			left.killTree(os.Getpid())
			return status.ExitStatus()
		}
	}
}

// enter confines this process and becomes the command.
func enter(k keeper) int {
	runtime.LockOSThread() // the rules hold for this thread, and it is the one that goes on
	if k.Confine {
		if err := confine(k.Writable); err != nil {
			return failKeeping(err)
		}
	}
	return failKeeping(syscall.Exec(k.Argv[0], k.Argv, os.Environ()))
}

func failKeeping(err error) int {
	fmt.Fprintf(os.Stderr, "the command was not run: %v\n", err)
	return 125
}
