package builtin

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A command that kills its keeper after detaching a process without our marks leaves nothing
// behind, whether or not the system keeps it from killing the keeper.
func TestNothingOutlivesACommandThatKillsItsKeeper(t *testing.T) {
	for _, script := range []string{
		"env -i setsid sleep %s & sleep 0.2; kill -9 $PPID; exit 0",
		"env -i setsid sleep %s & sleep 0.2; kill -9 0",
		"(env -i setsid sh -c 'sleep %s & exit' &); sleep 0.2; kill -9 $PPID $$",
	} {
		for _, confine := range []bool{SandboxStatus().Confined, false} {
			number := fmt.Sprintf("%d.%d", 9000+os.Getpid()%1000, time.Now().UnixNano()%1000000)
			runKept(t, keeper{Argv: []string{"/bin/sh", "-c", fmt.Sprintf(script, number)}, Confine: confine, Writable: []string{t.TempDir()}})
			for pid := range processes() {
				if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.HasPrefix(string(line), "sleep\x00"+number) {
					t.Errorf("confined=%v, %s: process %d is left", confine, script, pid)
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
	}
}

// runKept runs a keeper as startProcess does, until it ends.
func runKept(t *testing.T, k keeper) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	theirs, life, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer life.Close()
	master, tty, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	go io.Copy(io.Discard, master)
	cmd := exec.Command(self, k.args()...)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = tty, tty, []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	tty.Close()
	_ = cmd.Wait() // the command's own status
}
