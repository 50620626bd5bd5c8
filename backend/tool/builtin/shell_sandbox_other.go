//go:build !linux

package builtin

import (
	"fmt"
	"os"
	"runtime"
)

// SandboxStatus reports whether commands are confined here.
func SandboxStatus() Status {
	return Status{How: "Commands are not confined on " + runtime.GOOS + ": they can write whatever you can. Read them before you approve them."}
}

func keep(keeper) int {
	fmt.Fprintln(os.Stderr, "commands have no keeper on "+runtime.GOOS)
	return 125
}
