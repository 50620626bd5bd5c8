package providertest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Aimock starts the independent implementation of the three protocols that the
// front end's tests use too, and returns its address, ending in /v1. Without node or its
// modules the test is skipped.
func Aimock(t testing.TB) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	frontend, err := filepath.Abs(filepath.Join(filepath.Dir(here), "../../../frontend"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(frontend, "node_modules/@copilotkit/aimock")); err != nil {
		t.Skip("aimock is not installed: run npm ci in frontend/")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	script, err := filepath.Abs(filepath.Join(filepath.Dir(here), "testdata/aimock.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, script)
	cmd.Dir, cmd.Stderr = frontend, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // it ends with its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("aimock: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("aimock did not start: %v", err)
	}
	return strings.TrimSpace(line) + "/v1"
}
