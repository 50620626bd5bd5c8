package process

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// TestMain lets the test's own program be the process that is looked at.
func TestMain(m *testing.M) {
	if os.Getenv("MUTSUMI_TEST_WAITS") != "" {
		os.Stdout.WriteString("ready\n")
		bufio.NewReader(os.Stdin).ReadByte() // until the pipe is closed
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestAProcessLivesUntilItEnds(t *testing.T) {
	if self := Self(); !self.Lives() || !self.IsSelf() || self.Start == "" {
		t.Fatalf("this process: %+v", self)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MUTSUMI_TEST_WAITS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	other := Self()
	other.Number, other.Start = cmd.Process.Pid, startOf(cmd.Process.Pid)
	if !other.Lives() || other.IsSelf() {
		t.Errorf("a process at work: %+v", other)
	}
	for name, id := range map[string]ID{
		"one of the same number before": {other.Number, other.Start + "0", other.Boot, other.Host},
		"one of another boot":           {other.Number, other.Start, other.Boot + "x", other.Host},
		"one of another machine":        {other.Number, other.Start, other.Boot, other.Host + "x"},
		"none":                          {},
	} {
		if id.Lives() {
			t.Errorf("%s counts as living", name)
		}
	}
	cmd.Process.Kill()
	for other.Lives() { // even before it has been waited for
	}
	in.Close()
	cmd.Wait()
}
