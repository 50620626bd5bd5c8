//go:build unix

package subprocess

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gone waits until no process has the given id.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 200 {
		if err := syscall.Kill(pid, 0); err != nil || zombie(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d is still running", pid)
}

func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func number(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(line), "{"))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// After Close, a server that ignores the end of its input and SIGTERM is gone, and so are the
// processes that it started.
func TestCloseEndsAll(t *testing.T) {
	var log Tail
	p, err := Start(Command{Program: "sh", Args: []string{"-c", "trap '' TERM; echo said >&2; sleep 1000 & echo {$!; while :; do sleep 1000; done"}, Dir: t.TempDir(), Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	pid := number(t, bufio.NewReader(p.Reader(func(error) {})))
	began := time.Now()
	p.Close(false)
	if d := time.Since(began); d > 3*grace {
		t.Error("closing took", d)
	}
	gone(t, pid)
	gone(t, p.cmd.Process.Pid)
	if log.Text() != "said\n" || !strings.Contains(p.How(), "killed") {
		t.Errorf("%q %s", log.Text(), p.How())
	}
}

// When a server exits on its own, the processes it started end too.
func TestNothingIsLeftBehind(t *testing.T) {
	p, err := Start(Command{Program: "sh", Args: []string{"-c", "sleep 1000 & echo {$!; exit 3"}, Dir: t.TempDir(), Log: &Tail{}})
	if err != nil {
		t.Fatal(err)
	}
	pid := number(t, bufio.NewReader(p.Reader(func(error) {})))
	<-p.Done()
	gone(t, pid)
	if p.How() != "it ended: exit status 3" {
		t.Error(p.How())
	}
	p.Close(true)
}

// When the program is killed, a server that ignores its input ends too, with its child processes: a
// server that a wrapper such as npx starts is not the program's own child.
func TestServersDieWithTheProgram(t *testing.T) {
	if os.Getenv("CHILD_TEST_PARENT") != "" {
		p, err := Start(Command{Program: "sh", Args: []string{"-c", "sleep 1000 & echo {$!; wait"}, Log: &Tail{}})
		if err != nil {
			t.Fatal(err)
		}
		started := number(t, bufio.NewReader(p.Reader(func(error) {})))
		os.Stdout.WriteString(strconv.Itoa(p.cmd.Process.Pid) + "\n" + strconv.Itoa(started) + "\n" + strconv.Itoa(guarding.cmd.Process.Pid) + "\n")
		select {}
	}
	parent := exec.Command(os.Args[0], "-test.run=^TestServersDieWithTheProgram$")
	parent.Env = append(os.Environ(), "CHILD_TEST_PARENT=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	all := []int{number(t, lines), number(t, lines), number(t, lines)} // with the guard
	parent.Process.Kill()
	parent.Wait()
	for _, pid := range all {
		gone(t, pid)
	}
}

// The guard lives no longer than servers do.
func TestTheGuardEndsWithTheLastServer(t *testing.T) {
	var all []*Process
	for range 3 {
		p, err := Start(Command{Program: "cat", Dir: t.TempDir(), Log: &Tail{}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	pid := guarding.cmd.Process.Pid
	for i, p := range all {
		if err := syscall.Kill(pid, 0); err != nil || guarding.cmd.Process.Pid != pid {
			t.Errorf("with %d servers the guard is not there: %v", len(all)-i, err)
		}
		p.Close(false)
	}
	gone(t, pid)
	if guarding.in != nil {
		t.Error("it is taken to run")
	}
}

func TestNoSuchProgram(t *testing.T) {
	if _, err := Start(Command{Program: "there-is-no-such-program", Log: &Tail{}}); err == nil || !strings.Contains(err.Error(), "install it") {
		t.Error(err)
	}
}
