package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// giveBackStartPages takes the pages of program files, the program's own and its libraries', out of
// this process. A start touches tens of megabytes of them that nothing uses later, and they would
// count as its memory as long as it runs. The system may drop them now, and maps those again that
// are used again.
//
// It skips mappings with pages that differ from their file, which would be lost. A failure changes
// nothing.
func giveBackStartPages() {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var from, to uint64 // the mapping that the lines describe; equal if it is no program file's
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case !strings.HasSuffix(fields[0], ":"): // ADDRESSES PERMISSIONS OFFSET DEVICE INODE FILE
			from, to = 0, 0
			if len(fields) == 6 && (fields[1] == "r--p" || fields[1] == "r-xp") && fields[4] != "0" {
				from, to = addresses(fields[0])
			}
		case fields[0] == "Anonymous:" && fields[1] == "0" && from < to:
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
		}
	}
}

// addresses reads "FROM-TO" in hexadecimal digits; 0, 0 if it is something else.
func addresses(text string) (from, to uint64) {
	first, second, _ := strings.Cut(text, "-")
	from, err := strconv.ParseUint(first, 16, 64)
	if err != nil {
		return 0, 0
	}
	to, err = strconv.ParseUint(second, 16, 64)
	if err != nil {
		return 0, 0
	}
	return from, to
}
