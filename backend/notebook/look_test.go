package notebook

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A large file is read by two goroutines; one that is shorter than it was is not.
func TestLargeFilesAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.mtm")
	want := make([]byte, 3*readFrom+7)
	for i := range want {
		want[i] = byte(i / 251)
	}
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := read(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if readLarge(f, make([]byte, len(want)+1)) || readLarge(f, make([]byte, readFrom-1)) {
		t.Error("it was read although it is too short")
	}
	if at, _ := f.Seek(0, io.SeekCurrent); at != 0 {
		t.Error("it has to be read from", at)
	}
}
