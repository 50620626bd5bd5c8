//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// While a loading page waits for a disk that does not answer, agents and other pages go on.
func TestNobodyWaitsForASnapshotThatWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	recent := filepath.Join(d.state, "recent.json")
	if err := os.Remove(recent); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(recent, 0o600); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error, 1)
	go func() {
		_, err := d.Snapshot()
		loaded <- err
		close(loaded)
	}()
	disk, err := os.OpenFile(recent, os.O_WRONLY, 0) // returns once it is being read
	if err != nil {
		t.Fatal(err)
	}
	made := make(chan struct{})
	go func() {
		d.create("meanwhile")
		close(made)
	}()
	select {
	case <-made:
	case err := <-loaded:
		t.Errorf("a notebook cannot be made before the snapshot is complete (%v)", err)
	case <-time.After(time.Minute):
		t.Error("a notebook cannot be made while a snapshot waits for the disk")
	}
	if _, err := disk.WriteString("[]"); err != nil {
		t.Error(err)
	}
	disk.Close()
	if err := <-loaded; err != nil {
		t.Error(err)
	}
	<-made
}
