//go:build unix

package child

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
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

// When a server exits by itself, the processes it started end too.
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

// When the program is killed, a server that does not watch its input ends too.
func TestServersDieWithTheProgram(t *testing.T) {
	if os.Getenv("CHILD_TEST_PARENT") != "" {
		p, err := Start(Command{Program: "sleep", Args: []string{"1000"}, Log: &Tail{}})
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("pid " + strconv.Itoa(p.cmd.Process.Pid) + "\n")
		select {}
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can promise it for a server that does not look at its input")
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
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	if err != nil {
		t.Fatal(err)
	}
	parent.Process.Kill()
	parent.Wait()
	gone(t, pid)
}

func TestNoSuchProgram(t *testing.T) {
	if _, err := Start(Command{Program: "there-is-no-such-program", Log: &Tail{}}); err == nil || !strings.Contains(err.Error(), "install it") {
		t.Error(err)
	}
}
