package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// largePagesFor is how much memory largePages prepares, in bytes.
const largePagesFor = 56 << 20

// largePages prepares the program for using much memory at once: it asks the system to hand that
// memory out in pages of 2 MB. In small pages, of which there are thousands, getting it takes
// longer than what is done with it.
//
// The advice is given for a large object, which is then collected: the objects that follow take its
// place. Where the system has no large pages nothing changes.
func largePages() {
	object := make([]byte, largePagesFor)
	_ = unix.Madvise(object, unix.MADV_HUGEPAGE)
	go runtime.GC()
}
