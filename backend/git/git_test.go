package git

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

func TestRun(t *testing.T) {
	git := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = t.TempDir()
		return cmd
	}
	if out, status, err := Run(t.Context(), git("version")); err != nil || status != 0 || !strings.HasPrefix(out, "git version") {
		t.Errorf("%q, %d, %v", out, status, err)
	}
	if _, status, err := Run(t.Context(), git("-C", "no-such-folder", "status")); err == nil || status != 128 || !strings.HasPrefix(err.Error(), "git said: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d, %v", status, err)
	}
	if _, status, err := Run(t.Context(), exec.CommandContext(t.Context(), "no-such-git")); err == nil || status != -1 {
		t.Errorf("%d, %v", status, err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := Run(ended, exec.CommandContext(ended, "git", "version")); !fault.Is(err, fault.Canceled) {
		t.Error(err)
	}
}

// slow takes a while for each piece that is written to it.
type slow struct{ written bytes.Buffer }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return s.written.Write(p)
}

// What a command wrote is read to its end, also long after it has exited.
func TestOutputIsReadToItsEnd(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.01; done")
	cmd.WaitDelay = time.Millisecond
	var out slow
	if err := run(t.Context(), cmd, &out, &slow{}); err != nil || out.written.String() != "1\n2\n3\n4\n5\n6\n" {
		t.Errorf("%q, %v", out.written.String(), err)
	}
}

// A process that git left behind keeps the output open: that is not waited for.
func TestOutputThatStaysOpen(t *testing.T) {
	defer func(was time.Duration) { lateOutput = was }(lateOutput)
	lateOutput = 100 * time.Millisecond
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 20 & echo $!")
	out, _, err := Run(t.Context(), cmd)
	if err == nil || !strings.Contains(err.Error(), "kept its output open") {
		t.Error(err)
	}
	exec.Command("kill", strings.TrimSpace(out)).Run()
}

// An answer that is too long ends the command.
func TestAnAnswerThatIsTooLong(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "yes")
	err := run(t.Context(), cmd, &bounded{w: &bytes.Buffer{}, left: 1 << 20}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "longer than this program reads") {
		t.Error(err)
	}
}

func TestGitsMessagesAreBounded(t *testing.T) {
	var b bytes.Buffer
	w := &bounded{w: &b, left: 5}
	if n, err := w.Write([]byte("abc")); n != 3 || err != nil {
		t.Error(n, err)
	}
	if _, err := w.Write([]byte("defg")); err == nil {
		t.Error("more than the bound")
	}
	w = &bounded{w: &b, left: 2, drop: true}
	for range 2 {
		if n, err := w.Write([]byte("xyz")); n != 3 || err != nil {
			t.Error(n, err)
		}
	}
	if b.String() != "abcxy" {
		t.Error(b.String())
	}
}
