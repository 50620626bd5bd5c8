package builtin

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// SandboxStatus reports whether commands are confined here, and what is not.
func SandboxStatus() Status {
	version := landlockVersion()
	if version == 0 {
		return Status{How: "This kernel has no Landlock: commands are not confined, and can do whatever you can."}
	}
	how := fmt.Sprintf("Commands read everything and write only the allowed folders and a temporary one (Landlock, version %d", version)
	var free []string
	if canMount() {
		how += "; everything else is mounted read-only, permissions and times of files too, and sockets of programs that run already are hidden"
	} else {
		how += "; what is Mutsumi's own is out of reach: in a folder around that, only what was there before is, and nothing new is made directly in it"
		free = append(free, "permissions, times and attributes of your other files", "other terminals and shared memory (this system lets commands have no mounts of their own)")
		if version < socketVersion {
			free = append(free, "sockets in the file system (session bus, agents, Docker)")
		}
	}
	how += ")."
	if version < signalScope {
		free = append(free, "signals to your other programs and their abstract sockets")
	}
	return Status{Confined: true, How: how + " Not confined: " + strings.Join(append(free, "the network"), "; ") + ".", Hides: true, mounts: canMount()}
}

// lifeline is the descriptor that closes when the program ends.
const lifeline = 3

// keep starts a command, stays its ancestor so that none of its processes escapes, and ends with
// its status. It ends everything when the program that started it ends. The keeper itself is not
// confined: so the rules keep the command from reaching into it and, where they cover signals, from
// killing it. Elsewhere a second keeper runs between the two, whose orphans are passed to the
// first.
func keep(k keeper) int {
	if k.Stage == stageEnter {
		return enter(k)
	}
	first := k.Stage == stageKeep
	// Signals to the command's group are for the command. They are received and dropped, not
	// ignored: ignored signals stay ignored in the command.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE, syscall.SIGTTOU)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failKeeping(err)
	}
	left := &process{mark: os.Getenv(taskMark)}
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{}}
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
	proc, err := startStage(next, attr)
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

// startStage starts this program again, for the next stage. When it returns, only root can inspect
// or trace the calling process: the command begins only then.
func startStage(next keeper, attr *os.ProcAttr) (*os.Process, error) {
	hidden, hide, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer hide.Close()
	defer hidden.Close()
	attr.Files = append(attr.Files, hidden)
	start := func() (*os.Process, error) {
		const self = "/proc/self/exe" // this very program, even if its file was replaced
		return os.StartProcess(self, append([]string{os.Args[0]}, next.args()...), attr)
	}
	if next.Mounts && next.Stage == stageEnter { // a process that is hidden could not map users for another
		plain := *attr.Sys
		ownMounts(attr.Sys)
		proc, err := start()
		if err == nil {
			return proc, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
		}
		next.Mounts, attr.Sys = false, &plain
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, err
	}
	return start()
}

// enter confines this process and becomes the command, as soon as the keeper is hidden.
func enter(k keeper) int {
	runtime.LockOSThread() // the rules apply to this thread, which continues
	keeperHidden := os.NewFile(lifeline, "hidden")
	_, _ = io.Copy(io.Discard, keeperHidden)
	keeperHidden.Close()
	hidden := false // the program's own folders
	if k.Confine && k.Mounts {
		err := readOnly(k)
		if hidden = err == nil; !hidden {
			fmt.Fprintf(os.Stderr, "[Permissions of other files and sockets are not confined: %v]\n", err)
		}
		if err := os.Chdir(k.Dir); err != nil { // its previous folder is read-only now
			return failKeeping(err)
		}
	}
	if k.Confine {
		if hidden {
			k.Private = nil
		}
		if err := confine(k); err != nil {
			return failKeeping(err)
		}
	}
	return failKeeping(syscall.Exec(k.Argv[0], k.Argv, os.Environ()))
}

func failKeeping(err error) int {
	fmt.Fprintf(os.Stderr, "the command was not run: %v\n", err)
	return 125
}
