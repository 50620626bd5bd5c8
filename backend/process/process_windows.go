package process

import (
	"strconv"

	"golang.org/x/sys/windows"
)

// startOf returns when a process began; "" if it does not exist.
func startOf(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var code uint32
	const running = 259
	if windows.GetExitCodeProcess(h, &code) != nil || code != running {
		return ""
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

// boot is not needed: the time that a process began is one of the calendar.
func boot() string { return "" }
