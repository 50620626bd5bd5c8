// Package clitest builds the program for tests that run it as a process, and runs it isolated from
// the rest of the machine.
package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main builds the program without a window, sets program to its path, runs the tests and ends the
// process. It builds like `make test`, so that most of it is in the compiler's cache.
func Main(m *testing.M, program *string) {
	dir, err := os.MkdirTemp("", "mutsumi-program-")
	if err != nil {
		panic(err)
	}
	*program = filepath.Join(dir, "mutsumi")
	build := exec.Command("go", "build", "-trimpath", "-o", *program, "mutsumi")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "Could not build the program: %v\n%s", err, out)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// Command prepares a call of the program with a home of its own and no model from outside. What
// is in env counts more.
func Command(t testing.TB, program string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(program, args...)
	cmd.Env = append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "MUTSUMI_CONFIG=" + filepath.Join(home, "config"),
		"MUTSUMI_STATE=" + filepath.Join(home, "state"), "TMPDIR=" + t.TempDir(),
	}, env...)
	return cmd
}
