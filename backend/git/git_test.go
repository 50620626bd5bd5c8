package git

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

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
