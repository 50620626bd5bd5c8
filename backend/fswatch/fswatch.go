// Package fswatch reports changes on the disk: by the system's watches and, when these run out, by
// polling. It is the only package that asks the system for watches; packages workspace, rules and
// settings watch their files with it. It knows nothing of the files' content.
package fswatch

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Poll is how often is looked where the system has no watches left. A test may
// shorten it before it watches anything.
var Poll = 5 * time.Second

// Event is a change of a file or folder as the system reports it.
type Event = fsnotify.Event

// The kinds of an event, several at once.
const (
	Create = fsnotify.Create
	Remove = fsnotify.Remove
	Rename = fsnotify.Rename
	Chmod  = fsnotify.Chmod
)

// buffer is how many events may wait to be read.
const buffer = 4096

// Folders is a set of watched folders. It belongs to one goroutine; only its channels may be read
// by another.
type Folders struct {
	most    int
	notify  *fsnotify.Watcher // nil: the system gave none
	watched map[string]bool
	blind   bool // some requested folder is not watched
}

// New returns an empty set that takes at most `most` folders.
func New(most int) *Folders {
	f := &Folders{most: most}
	f.Renew()
	return f
}

// Events returns the channel of changes; nil while nothing is watched.
func (f *Folders) Events() <-chan Event {
	if f.notify == nil {
		return nil
	}
	return f.notify.Events
}

// Errors reports that events were lost.
func (f *Folders) Errors() <-chan error {
	if f.notify == nil {
		return nil
	}
	return f.notify.Errors
}

// Blind reports whether a folder could not be watched since Renew or See.
func (f *Folders) Blind() bool { return f.blind || f.notify == nil }

// See forgets that folders could not be watched, so that they are added again.
func (f *Folders) See() {
	if f.blind = false; f.notify == nil {
		f.Renew() // the system may have some by now
	}
}

// Count is the number of watched folders.
func (f *Folders) Count() int { return len(f.watched) }

// Add watches a folder, not the folders below it. A folder that exists but cannot be watched makes
// the set blind.
func (f *Folders) Add(dir string) bool {
	if f.notify != nil && f.watched[dir] {
		return true
	}
	if f.notify == nil || len(f.watched) >= f.most {
		f.blind = true
		return false
	}
	if err := f.notify.Add(dir); err != nil {
		if _, statErr := os.Stat(dir); statErr == nil {
			f.blind = true
		}
		return false
	}
	f.watched[dir] = true
	return true
}

// Drop stops watching a folder that is gone or has another name, and of all below
// it, and reports whether it was watched.
func (f *Folders) Drop(dir string) bool {
	if !f.watched[dir] {
		return false
	}
	for name := range f.watched {
		if name == dir || strings.HasPrefix(name, dir+string(filepath.Separator)) {
			_ = f.notify.Remove(name) // with a folder that is deleted its watch went too
			delete(f.watched, name)
		}
	}
	return true
}

// Renew stops watching all folders.
func (f *Folders) Renew() {
	f.Close()
	f.watched, f.blind = map[string]bool{}, false
	f.notify, _ = fsnotify.NewBufferedWatcher(buffer) // none: it is looked instead
}

// Close ends the watching.
func (f *Folders) Close() {
	if f.notify != nil {
		_ = f.notify.Close()
		f.notify = nil
	}
}
