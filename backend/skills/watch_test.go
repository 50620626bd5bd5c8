package skills_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mutsumi/backend/skills"
)

// Skills that are added, changed and removed are reported, even in new places.
func TestWatch(t *testing.T) {
	folder, own := t.TempDir(), filepath.Join(t.TempDir(), "skills")
	told, ready := make(chan bool, 100), make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		skills.Watch(ctx, folder, own, func() { close(ready) }, func() { told <- true })
	}()
	<-ready
	at := filepath.Join(folder, ".claude", "skills", "a")
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"a place comes", func() { write(t, filepath.Join(at, "SKILL.md"), head("a", "description: d\n")) }},
		{"a skill changes", func() { write(t, filepath.Join(at, "SKILL.md"), head("a", "description: e\n")) }},
		{"a folder in it", func() { write(t, filepath.Join(at, "scripts", "x.py"), "x") }},
		{"a file in that changes", func() { write(t, filepath.Join(at, "scripts", "x.py"), "xy") }},
		{"the person's own place comes", func() { write(t, filepath.Join(own, "b", "SKILL.md"), head("b", "description: d\n")) }},
		{"a skill goes", func() {
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		step.do()
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Fatalf("%s: no change was reported", step.what)
		}
		for quiet := false; !quiet; { // wait for all reports of this step
			select {
			case <-told:
			case <-time.After(500 * time.Millisecond):
				quiet = true
			}
		}
	}
	cancel()
	<-ended
}
