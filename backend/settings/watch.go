package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long the file must be left alone before it is read again:
// editors write in several steps.
const settleTime = 100 * time.Millisecond

// Watch calls changed, from a goroutine of its own, each time the settings
// file came to say something else without an edit of this Store. It follows
// editors that save by renaming, and a link's target. stop ends it and waits
// until a call under way is over.
func (s *Store) Watch(changed func()) (stop func(), err error) {
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("watch settings %s: %w", s.path, err)
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch settings %s: %w", s.path, err)
	}
	names := map[string]bool{s.path: true}
	folders := map[string]bool{dir: true}
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
		names[real] = true
		folders[filepath.Dir(real)] = true
	}
	for dir := range folders {
		if err := w.Add(dir); err != nil {
			_ = w.Close()
			return nil, fmt.Errorf("watch settings %s: %w", s.path, err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(settleTime)
		timer.Stop()
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if names[e.Name] {
					timer.Reset(settleTime)
				}
			case _, ok := <-w.Errors:
				if !ok {
					return
				}
				timer.Reset(settleTime) // events may have been lost
			case <-timer.C:
				s.writing.Lock()
				fresh := s.reload()
				s.writing.Unlock()
				if fresh {
					changed()
				}
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() {
			_ = w.Close()
			<-done
		})
	}, nil
}
