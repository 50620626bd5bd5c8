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
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		followFile(ctx, s.path, func() { close(ready) }, func() {
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

// followFile calls ready once no change of a file can be missed, and then changed after changes,
// until ctx ends. It creates the folder of the file.
func followFile(ctx context.Context, path string, ready, changed func()) {
	_ = os.MkdirAll(filepath.Dir(path), 0o700) // otherwise poll until it exists
	names := map[string]bool{path: true}
	folders := []string{filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		names[real] = true
		folders = append(folders, filepath.Dir(real))
	}
	fswatch.Follow(ctx, fswatch.Spec{
		Folders:  func() []string { return folders },
		Concerns: func(name string) bool { return names[name] },
		Look: func() string {
			info, err := os.Stat(path)
			if err != nil {
				return ""
			}
			return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		},
		Rest: rest,
	}, ready, changed)
}
