package process

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// startOf returns when a process began, in ticks since boot; "" when there is
// none, or it has ended and only waits to be collected.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name is in brackets and may contain anything; the state is the first field after it, the
	// time the twentieth.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, _ := os.Readlink("/proc/self/ns/pid") // numbers of another one mean other processes
	return strings.TrimSpace(string(id)) + " " + space
}
