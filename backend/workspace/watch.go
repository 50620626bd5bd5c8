package workspace

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How the disk is followed.
const (
	quiet      = 60 * time.Millisecond  // a burst is over when nothing came for this long
	burst      = 400 * time.Millisecond // a burst that does not end is told in parts
	poll       = 5 * time.Second        // where the system has no watches left
	maxWatches = 10_000                 // folders
)

// watcher follows the notebooks below a folder. It knows nothing of what is
// in them: it calls changed with the files that came, went or were written,
// relative to the folder, on one goroutine of its own.
type watcher struct {
	root    string
	fs      *fsnotify.Watcher
	changed func(files map[string]bool)
	other   func()          // something else in the folder changed
	touched bool            // other is due
	known   map[string]bool // files told as there, to find those that went with their folder
	polling bool            // some folder could not be watched
	watched int
}

// watch starts following root; other is called when anything but notebooks
// changed, on the same goroutine. The first call of changed carries all the
// notebooks that are there. It ends, and closes done, when stop is closed.
func watch(root string, stop <-chan struct{}, other func(), changed func(map[string]bool)) (done <-chan struct{}, err error) {
	notify, err := fsnotify.NewBufferedWatcher(4096)
	if err != nil {
		return nil, err
	}
	w := &watcher{root: root, fs: notify, changed: changed, other: other, known: map[string]bool{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer notify.Close()
		w.follow(stop)
	}()
	return ended, nil
}

func (w *watcher) follow(stop <-chan struct{}) {
	pending := map[string]bool{}
	w.scan(w.root, pending)
	w.changed(pending)
	pending = map[string]bool{}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	var since time.Time
	for {
		select {
		case <-stop:
			return
		case e, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if !w.note(e, pending) {
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			timer.Reset(max(0, min(quiet, burst-time.Since(since))))
		case <-w.fs.Errors: // the queue overflowed: look at everything again
			w.scan(w.root, pending)
			for f := range w.known {
				pending[f] = true
			}
			since = time.Now()
			timer.Reset(0)
		case <-ticker.C:
			if w.polling {
				w.scan(w.root, pending)
				for f := range w.known {
					pending[f] = true
				}
				timer.Reset(0)
			}
		case <-timer.C:
			since = time.Time{}
			if len(pending) > 0 {
				w.changed(pending)
				pending = map[string]bool{}
			}
			if w.touched {
				w.touched = false
				w.other()
			}
		}
	}
}

// note adds what an event means to pending and reports whether it means anything.
func (w *watcher) note(e fsnotify.Event, pending map[string]bool) bool {
	rel, err := filepath.Rel(w.root, e.Name)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	if isNotebook(rel) && !e.Has(fsnotify.Chmod) {
		w.known[rel] = true
		pending[rel] = true
		return true
	}
	if !e.Has(fsnotify.Chmod) && !strings.HasPrefix(filepath.Base(rel), ".") {
		w.touched = true
	}
	before := len(pending)
	switch {
	case e.Has(fsnotify.Create):
		w.scan(e.Name, pending) // a folder that came, perhaps with notebooks in it
	case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
		for f := range w.known {
			if strings.HasPrefix(f, rel+"/") {
				pending[f] = true
				delete(w.known, f)
			}
		}
	}
	return len(pending) > before || w.touched
}

// scan watches dir and every folder below it and adds the notebooks there to
// pending. Links are not followed.
func (w *watcher) scan(dir string, pending map[string]bool) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // unreadable or gone again: nothing of it is shown
		}
		rel, relErr := filepath.Rel(w.root, path)
		if relErr != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if !d.IsDir() {
			if d.Type().IsRegular() && isNotebook(rel) || d.Type()&fs.ModeSymlink != 0 && isNotebook(rel) {
				w.known[rel] = true
				pending[rel] = true
			}
			return nil
		}
		if path != w.root && skipsFolder(d.Name()) {
			return filepath.SkipDir
		}
		if w.watched >= maxWatches || w.fs.Add(path) != nil {
			w.polling = true
		} else {
			w.watched++
		}
		return nil
	})
}

func isNotebook(rel string) bool {
	return strings.HasSuffix(rel, ".mtm") && !strings.HasPrefix(filepath.Base(rel), ".")
}

// skipsFolder names the folders in which no notebooks are looked for: hidden
// ones but our own, and those that tools fill with other people's files.
func skipsFolder(name string) bool {
	return name == "node_modules" || strings.HasPrefix(name, ".") && name != ".mutsumi"
}
