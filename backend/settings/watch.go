package settings

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mutsumi/backend/fswatch"
)

// rest is how long changes are gathered before the file is read again: editors
// write in several steps.
const rest = 100 * time.Millisecond

// Watch calls changed, from a goroutine of its own, each time the content of the settings file
// changes without an edit of this Store. It follows editors that save by renaming, and a link's
// target; if the system cannot watch, it polls every few seconds. stop ends it and waits for a call
// in progress.
func (s *Store) Watch(changed func()) (stop func()) {
	_ = os.MkdirAll(filepath.Dir(s.path), 0o700) // otherwise poll until it exists
	names := map[string]bool{s.path: true}
	folders := []string{filepath.Dir(s.path)}
	if real, err := filepath.EvalSymlinks(s.path); err == nil && real != s.path {
		names[real] = true
		folders = append(folders, filepath.Dir(real))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		fswatch.Follow(ctx, fswatch.Spec{
			Folders:  func() []string { return folders },
			Concerns: func(name string) bool { return names[name] },
			Look: func() string {
				info, err := os.Stat(s.path)
				if err != nil {
					return ""
				}
				return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			},
			Rest: rest,
		}, func() { close(ready) }, func() {
			s.writing.Lock()
			fresh := s.reload()
			s.writing.Unlock()
			if fresh {
				changed()
			}
		})
	}()
	<-ready
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}
