// Package clitest builds the program for tests that run it as a process.
package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main builds the program without a window, sets program to its path, runs the tests and
// ends the process. It is built as `make test` builds it, so that most of it is in the
// cache of the compiler.
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
