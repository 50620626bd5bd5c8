package documents

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/fswatch"
)

// Intervals and limits for watching the disk.
const (
	quiet      = 60 * time.Millisecond  // a burst is over when nothing came for this long
	burst      = 400 * time.Millisecond // a burst that does not end is reported in parts
	rootCheck  = time.Second            // the folder itself may be replaced, which no watch reports
	maxWatches = 10_000                 // folders
)

// serversFile names MCP servers: the only hidden file whose changes are reported.
const serversFile = ".mcp.json"

// watcher watches the notebooks below a folder. It knows nothing of their content: it calls changed
// with the files that were added, removed or written, relative to the folder, on one goroutine of
// its own.
type watcher struct {
	root    string
	folders *fswatch.Folders
	id      os.FileInfo // of the folder that is watched
	changed func(files map[string]bool)
	other   func()          // something else in the folder changed
	blind   func()          // the system has no watches left; called once
	touched bool            // other is due
	known   map[string]bool // files reported as existing, to find those that went with their folder
	pending map[string]bool // to be reported
}

// Watch starts watching root; it calls other when anything but notebooks changed, on the same
// goroutine, and blind if the system cannot watch everything: then it scans now and then. The first
// call of changed carries all existing notebooks. Watch ends, and closes done, when stop is closed.
func Watch(root string, stop <-chan struct{}, other, blind func(), changed func(map[string]bool)) (done <-chan struct{}) {
	w := &watcher{
		root: root, folders: fswatch.New(maxWatches), changed: changed, other: other, blind: sync.OnceFunc(blind),
		known: map[string]bool{}, pending: map[string]bool{},
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer w.folders.Close()
		w.follow(stop)
	}()
	return ended
}

func (w *watcher) follow(stop <-chan struct{}) {
	w.id, _ = os.Stat(w.root)
	w.scan(w.root)
	w.report(true)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	poll, check := time.NewTicker(fswatch.Poll), time.NewTicker(rootCheck)
	defer poll.Stop()
	defer check.Stop()
	var since time.Time
	for {
		select {
		case <-stop:
			return
		case e, ok := <-w.folders.Events():
			if !ok || !w.note(e) {
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			timer.Reset(max(0, min(quiet, burst-time.Since(since))))
		case <-w.folders.Errors(): // the queue overflowed: look at everything again
			w.rescan()
			since = time.Now()
			timer.Reset(0)
		case <-poll.C:
			if w.folders.Blind() {
				w.rescan()
				timer.Reset(0)
			}
		case <-check.C:
			if w.replaced() {
				w.folders.Renew()
				w.rescan()
				w.touched = true
				timer.Reset(0)
			}
		case <-timer.C:
			since = time.Time{}
			w.report(false)
			if w.touched {
				w.touched = false
				w.other()
			}
		}
	}
}

// replaced reports whether another folder has taken the place of the watched one.
func (w *watcher) replaced() bool {
	now, err := os.Stat(w.root)
	if err != nil {
		w.id = nil // the events of its files report that it is gone
		return false
	}
	before := w.id
	w.id = now
	return before == nil || !os.SameFile(now, before)
}

func (w *watcher) report(first bool) {
	if first || len(w.pending) > 0 {
		w.changed(w.pending)
		w.pending = map[string]bool{}
	}
}

// rescan scans the whole folder, and reports every file that exists or existed.
func (w *watcher) rescan() {
	for f := range w.known {
		w.pending[f] = true
	}
	clear(w.known)
	w.folders.See()
	w.scan(w.root)
}

// note adds the files of an event to pending and reports whether there are any.
func (w *watcher) note(e fswatch.Event) bool {
	rel, err := filepath.Rel(w.root, e.Name)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	if rel == "." && (e.Has(fswatch.Remove) || e.Has(fswatch.Rename)) {
		w.id = nil // its successor may even have the same number
	}
	if IsNotebook(rel) && !e.Has(fswatch.Chmod) {
		w.known[rel] = true
		w.pending[rel] = true
		return true
	}
	if !e.Has(fswatch.Chmod) && (!strings.HasPrefix(filepath.Base(rel), ".") || rel == serversFile) {
		w.touched = true
	}
	before := len(w.pending)
	switch {
	case e.Has(fswatch.Create):
		w.scan(e.Name) // a folder that came, perhaps with notebooks in it
	case e.Has(fswatch.Remove), e.Has(fswatch.Rename):
		w.folders.Drop(e.Name)
		for f := range w.known {
			if strings.HasPrefix(f, rel+"/") {
				w.pending[f] = true
				delete(w.known, f)
			}
		}
	}
	return len(w.pending) > before || w.touched
}

// scan watches dir and every folder below it and adds the notebooks there to
// pending. Links are not followed.
func (w *watcher) scan(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // unreadable or gone again: show nothing
		}
		rel, relErr := filepath.Rel(w.root, path)
		if relErr != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if !d.IsDir() {
			if d.Type().IsRegular() && IsNotebook(rel) || d.Type()&fs.ModeSymlink != 0 && IsNotebook(rel) {
				w.known[rel] = true
				w.pending[rel] = true
			}
			return nil
		}
		if path != w.root && skipsFolder(d.Name()) {
			return filepath.SkipDir
		}
		w.folders.Add(path)
		return nil
	})
	if w.folders.Blind() {
		w.blind()
	}
}
