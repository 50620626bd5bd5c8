// Package process identifies processes, even those that ended long ago: a notebook records with it
// who runs its agent. It starts and ends none.
package process

import (
	"fmt"
	"os"
	"sync"
)

// ID identifies one process of one machine. Number alone is not enough: numbers are reused, and
// each boot and each container starts counting again.
type ID struct {
	Number int    `json:"pid"`
	Start  string `json:"start,omitempty"` // when it began, in the system's units; "": not known
	Boot   string `json:"boot,omitempty"`  // the system's boot and, of a container, its count of processes; "": not known
	Host   string `json:"host,omitempty"`
}

// Self is the ID of this process.
var Self = sync.OnceValue(func() ID {
	host, _ := os.Hostname() // "" is the same everywhere, and Boot differs
	pid := os.Getpid()
	return ID{Number: pid, Start: startOf(pid), Boot: boot(), Host: host}
})

// Lives reports whether the process is at work on this machine. Of a process
// that cannot be seen from here, on another machine or in another container,
// nothing is known, and the answer is false.
func (id ID) Lives() bool {
	self := Self()
	if id.Number <= 0 || id.Host != self.Host || id.Boot != self.Boot {
		return false
	}
	start := startOf(id.Number)
	return start != "" && start == id.Start
}

// IsSelf reports whether it is this process.
func (id ID) IsSelf() bool { return id == Self() }

// String names the process for a person.
func (id ID) String() string { return fmt.Sprintf("process %d", id.Number) }
