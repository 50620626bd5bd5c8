package subprocess

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// The test program is also the server, what the server starts, and the program that is killed.
func TestMain(m *testing.M) {
	switch role := os.Getenv("CHILD_TEST"); role {
	case "":
		os.Exit(m.Run())
	case "server", "leaver":
		started := exec.Command(os.Args[0])
		started.Env = append(os.Environ(), "CHILD_TEST=started")
		if err := started.Start(); err != nil {
			panic(err)
		}
		fmt.Printf("{%d\n", started.Process.Pid)
		if role == "leaver" {
			os.Exit(3)
		}
	case "program":
		p, err := Start(server("server"))
		if err != nil {
			panic(err)
		}
		fmt.Println(p.cmd.Process.Pid)
		fmt.Println(number(bufio.NewReader(p.Reader(func(error) {}))))
	}
	time.Sleep(time.Hour) // it does not read its input
}

func server(role string) Command {
	return Command{Program: os.Args[0], Env: map[string]string{"CHILD_TEST": role}, Log: &Tail{}}
}

// number reads a line with the id of a process; 0 if there is none.
func number(r *bufio.Reader) (pid int) {
	line, _ := r.ReadString('\n')
	fmt.Sscan(strings.TrimPrefix(line, "{"), &pid)
	return pid
}

func runs(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	event, _ := windows.WaitForSingleObject(h, 0)
	return event == uint32(windows.WAIT_TIMEOUT)
}

// gone waits until none of the processes runs.
func gone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		for n := 0; runs(pid); n++ {
			if n == 200 {
				t.Fatalf("process %d is still running", pid)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// After Close, a server that ignores the end of its input is gone, and so is what it started.
func TestCloseEndsAll(t *testing.T) {
	for _, hurry := range []bool{false, true} {
		p, err := Start(server("server"))
		if err != nil {
			t.Fatal(err)
		}
		started := number(bufio.NewReader(p.Reader(func(error) {})))
		if !runs(started) || !runs(p.cmd.Process.Pid) {
			t.Fatal("it does not run", started)
		}
		p.Close(hurry)
		gone(t, started, p.cmd.Process.Pid)
	}
}

// When a server exits on its own, the processes it started end too.
func TestNothingIsLeftBehind(t *testing.T) {
	p, err := Start(server("leaver"))
	if err != nil {
		t.Fatal(err)
	}
	started := number(bufio.NewReader(p.Reader(func(error) {})))
	<-p.Done()
	if started == 0 {
		t.Fatal("it did not run:", p.How())
	}
	gone(t, started)
	if p.How() != "it ended: exit status 3" {
		t.Error(p.How())
	}
	p.Close(true)
}

// When the program is killed, a server that ignores its input ends too, with what it started.
func TestServersDieWithTheProgram(t *testing.T) {
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), "CHILD_TEST=program")
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	all := []int{number(lines), number(lines)}
	if !runs(all[0]) || !runs(all[1]) {
		t.Fatal("they do not run", all)
	}
	program.Process.Kill()
	program.Wait()
	gone(t, all...)
}
