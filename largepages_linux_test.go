package main

import (
	"os"
	"strings"
	"testing"
)

// The heap has memory that the system may hand out in large pages.
func TestLargePages(t *testing.T) {
	if mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(mode), "[never]") {
		t.Skip("this system has no large pages")
	}
	advised := func() (n int) {
		maps, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(maps)) {
			if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && strings.Contains(flags, " hg") {
				n++
			}
		}
		return n
	}
	before := advised()
	largePages()
	if advised() <= before {
		t.Error("no memory is advised to be in large pages")
	}
}
