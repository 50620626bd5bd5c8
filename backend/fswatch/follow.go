package fswatch

import (
	"context"
	"time"
)

// maxFolders bounds what one Spec watches.
const maxFolders = 1000

// Spec describes what Follow watches.
type Spec struct {
	Folders  func() []string        // to be watched now; missing ones are omitted
	Concerns func(name string) bool // whether a change of the file or folder matters
	Look     func() string          // how things are: another text after a change; called where the system has no watches left
	Rest     time.Duration          // how long changes are collected before they are reported
}

// Follow calls ready, unless it is nil, once no change can be missed any longer, and then changed
// after changes, until ctx ends. Both run on its goroutine. If the system cannot watch, it checks
// every Poll.
func Follow(ctx context.Context, s Spec, ready, changed func()) {
	f := New(maxFolders)
	defer f.Close()
	cover := func() {
		f.See()
		for before := -1; before < f.Count(); { // a folder created before its parent was watched appears the second time
			before = f.Count()
			for _, dir := range s.Folders() {
				f.Add(dir)
			}
		}
	}
	cover()
	seen := ""
	if f.Blind() {
		seen = s.Look()
	}
	if ready != nil {
		ready()
	}
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	waiting := false
	soon := func() {
		if !waiting { // a file that is written all the time is reported now and then
			waiting = true
			timer.Reset(s.Rest)
		}
	}
	ticker := time.NewTicker(Poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-f.Events():
			gone := (e.Has(Remove) || e.Has(Rename)) && f.Drop(e.Name)
			if ok && (gone || e.Op != Chmod && s.Concerns(e.Name)) {
				soon()
			}
		case <-f.Errors(): // events were lost: look again
			soon()
		case <-ticker.C:
			before := f.Count()
			cover()
			if now := ""; !f.Blind() {
				if f.Count() > before { // a folder exists again
					soon()
				}
			} else if now = s.Look(); now != seen {
				seen = now
				changed()
			}
		case <-timer.C:
			waiting = false
			if cover(); f.Blind() {
				seen = s.Look()
			}
			changed()
		}
	}
}
