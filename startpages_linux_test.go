package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Pages of a file leave the process and come back with what they held; a changed page stays, and so
// do other files.
func TestGiveBackPages(t *testing.T) {
	held := bytes.Repeat([]byte("mutsumi "), 1<<17)
	mapped := func(name string) (file string, pages []byte) {
		file = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, held, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		pages, err = unix.Mmap(int(f.Fd()), 0, len(held), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Munmap(pages) })
		return file, pages
	}
	sameFile, same := mapped("the same") // with a space, as a folder may have one
	changedFile, changed := mapped("changed")
	otherFile, other := mapped("other")
	changed[0] = 'M'
	for _, pages := range [][]byte{same, changed, other} {
		if err := unix.Mprotect(pages, unix.PROT_READ); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pages[1:], held[1:]) {
			t.Fatal("a mapping does not hold its file")
		}
	}
	if residentOf(t, sameFile) == "0" {
		t.Fatal("the pages were read and are not in the process")
	}
	giveBackPages(sameFile)
	giveBackPages(changedFile)
	if now := residentOf(t, sameFile); now != "0" {
		t.Errorf("%s kB of an unchanged file are still in the process", now)
	}
	if !bytes.Equal(same, held) {
		t.Error("a mapping does not hold its file any more")
	}
	if residentOf(t, changedFile) == "0" || changed[0] != 'M' {
		t.Error("a changed page is lost")
	}
	if residentOf(t, otherFile) == "0" {
		t.Error("the pages of another file are gone")
	}
}

// residentOf is how many kB of a mapped file are in this process.
func residentOf(t *testing.T, file string) string {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, of, found := strings.Cut(string(maps), file+"\n")
	if !found {
		t.Fatalf("%s is not mapped", file)
	}
	_, size, _ := strings.Cut(of, "Rss:")
	return strings.Fields(size)[0]
}
