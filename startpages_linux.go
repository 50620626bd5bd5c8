package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// giveBackPages takes the pages of a program's file out of this process. A start touches most of
// them, and few are used later; they would count as its memory as long as it runs. The system may
// drop them now, and maps those again that are used again.
//
// The file must stay mapped: were it unmapped meanwhile, and its addresses used for something else,
// that would be lost. Mappings with changed pages are left alone. A failure changes nothing.
func giveBackPages(file string) {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var from, to uint64 // the mapping that the lines are about; both 0 for any other
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case !strings.HasSuffix(fields[0], ":"): // ADDRESSES PERMISSIONS OFFSET DEVICE INODE FILE
			from, to = 0, 0
			if (fields[1] == "r--p" || fields[1] == "r-xp") && strings.HasSuffix(line, " "+file+"\n") {
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
