package builtin_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// attack makes this binary a program that tries one way out of a sandbox, and
// prints "reached" when it found it: TESTBINARY attack WAY ARGUMENT.
func attack() {
	if len(os.Args) != 4 || os.Args[1] != "attack" {
		return
	}
	runtime.LockOSThread() // threads, not processes, trace
	reached := false
	switch target := os.Args[3]; os.Args[2] {
	case "dial":
		c, err := net.DialTimeout("unix", target, 10*time.Second)
		if reached = err == nil; reached {
			c.Close()
		}
	case "xattr":
		reached = unix.Setxattr(target, "user.mutsumi", []byte("x"), 0) == nil
	case "chown":
		reached = os.Chown(target, os.Getuid(), os.Getgid()) == nil
	case "ancestors": // everything above up to the program named target
		for pid := os.Getppid(); pid > 1; pid = parentOf(pid) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if !strings.Contains(string(line), "__sandbox") {
				if strings.HasPrefix(string(line), target) {
					break
				}
				continue
			}
			reached = reached || reach(pid)
		}
	}
	if reached {
		fmt.Println("reached")
	}
	os.Exit(0)
}

// reach reports whether a process can be traced, looked into or written to.
func reach(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, dir := range append(threads, fmt.Sprint(pid)) {
		tid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if unix.PtraceSeize(tid) == nil {
			return true
		}
		for _, name := range []string{"mem", "environ", "maps"} {
			if f, err := os.OpenFile(fmt.Sprintf("/proc/%d/%s", tid, name), os.O_RDONLY, 0); err == nil {
				f.Close()
				return true
			}
		}
	}
	return false
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	parent, _ := strconv.Atoi(f[1])
	return parent
}

// asNobody runs the calling test again as a user without rights, and reports whether this process
// is already that run. Root also runs it as itself.
func asNobody(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	dir, err := os.MkdirTemp("", "mutsumi-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "test")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, program} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir, "XDG_RUNTIME_DIR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
