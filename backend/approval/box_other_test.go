//go:build !linux && !windows

package approval

import "syscall"

// box is a process in a group of its own: this system has nothing narrower.
func box() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
