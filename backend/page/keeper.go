// Package page keeps the page of a window alive (SPEC 16.7). It decides when to reload a page whose
// process ended, that does not answer or that stays empty, and when reloading is no use. It knows
// no web view: package webkit below it implements the one on Linux. The program's window calls it;
// the page itself is the interface's.
package page

import (
	"time"

	"mutsumi/backend/lock"
)

// Cause is why a page was reloaded.
type Cause string

// Causes of a reload.
const (
	Ended  Cause = "ended"  // its process ended: a crash, or another program
	Memory Cause = "memory" // its process took more memory than it may
	Frozen Cause = "frozen" // it did not answer
	Empty  Cause = "empty"  // it never reported that it shows something
)

// Every is the length of a beat. Time is counted in beats alone: there are none while the machine
// or the program sleeps, and they come late on a slow machine.
const Every = 3 * time.Second

const (
	patience      = 3  // beats that a page may leave unanswered
	firstPatience = 10 // beats until a page that loads shows something
	healthy       = 20 // beats after which earlier failures no longer count
	most          = 3  // failures without a healthy time between them until the page is given up
)

// View is the web view. Its methods may be called from any goroutine, return at once, and must not
// call the Keeper before they return.
type View interface {
	Load()          // loads the page from its start
	End()           // ends the page's process; Keeper.Ended follows
	Ask()           // asks the page whether it answers; Keeper.Answered follows
	GiveUp(g Given) // replaces the page by a message with two buttons
}

// Given is the message shown instead of a page that was given up, in English.
type Given struct{ Title, Text, Again, Quit string }

// Keeper watches one page. It is safe for concurrent use.
type Keeper struct {
	view   View
	failed func(Cause, bool) // reports a failure, and whether the page is reloaded: for the log

	mu      lock.Mutex
	shows   bool  // the page reported that it shows something
	asked   bool  // it was asked and has not answered
	beats   int   // unanswered beats in a row; before the page shows something, all beats
	well    int   // answered beats since it shows something
	fails   int   // failures since the last healthy time
	cause   Cause // of the current load; "": the first load, or the page was told
	ending  Cause // why its process is being ended
	givenUp bool
	closed  bool
}

// New returns a keeper of the page that a view is loading. It calls failed at each failure, and
// says whether the page is reloaded.
func New(view View, failed func(cause Cause, again bool)) *Keeper {
	return &Keeper{view: view, failed: failed}
}

// Beat notes that Every has passed. With held the page may be waiting for a dialog of the system,
// and the time does not count.
func (k *Keeper) Beat(held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed || k.givenUp || held:
		return
	case k.ending != "": // it ended without a report
		k.fail(k.ending)
		return
	case !k.shows:
		if k.beats++; k.beats > firstPatience {
			k.end(Empty)
			return
		}
	case k.asked:
		if k.beats++; k.beats >= patience {
			k.end(Frozen)
			return
		}
	default:
		k.beats = 0
		if k.well++; k.well >= healthy {
			k.fails = 0
		}
	}
	if !k.asked {
		k.asked = true
		k.view.Ask()
	}
}

// end ends the process of a page that does not answer; a page that answers is just reloaded.
func (k *Keeper) end(cause Cause) {
	if !k.asked {
		k.fail(cause)
		return
	}
	k.ending = cause
	k.view.End()
}

// Answered notes that the page answered.
func (k *Keeper) Answered() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = false
}

// Ended notes that the page's process ended; memory says whether it took too much memory.
func (k *Keeper) Ended(memory bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	cause := Ended
	if memory {
		cause = Memory
	}
	if k.ending != "" {
		cause = k.ending
	}
	k.fail(cause)
}

// fail reloads the page, unless it failed too often or is empty for the second time.
func (k *Keeper) fail(cause Cause) {
	k.asked, k.shows, k.beats, k.well, k.ending = false, false, 0, 0, ""
	if k.closed || k.givenUp {
		return
	}
	k.fails++
	k.givenUp = k.fails >= most || cause == Empty && k.cause == Empty
	k.cause = cause
	k.failed(cause, !k.givenUp)
	if k.givenUp {
		k.view.GiveUp(given(cause))
	} else {
		k.view.Load()
	}
}

// Shows notes that the page shows something. It returns why the page was reloaded, for the person;
// "": it was not.
func (k *Keeper) Shows() Cause {
	k.mu.Lock()
	defer k.mu.Unlock()
	cause := k.cause
	k.shows, k.beats, k.cause = true, 0, ""
	return cause
}

// Again loads the page after it was given up, because the person wants it.
func (k *Keeper) Again() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.givenUp || k.closed {
		return
	}
	k.givenUp, k.fails = false, 0
	k.view.Load()
}

// GivenUp reports whether the page was given up: then nobody can be asked in it.
func (k *Keeper) GivenUp() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.givenUp
}

// Close ends the watch, because the window is closing.
func (k *Keeper) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
}

func given(cause Cause) Given {
	g := Given{
		Text:  "Your notebooks are saved, and agents that run go on. Load the page again, or quit: that stops the agents.",
		Again: "Load again", Quit: "Quit",
	}
	switch cause {
	case Frozen:
		g.Title = "Could not show the window: its page stopped answering again and again"
	case Memory:
		g.Title = "Could not show the window: its page ran out of memory again and again"
	case Empty:
		g.Title = "Could not show the window: its page stays empty"
	default:
		g.Title = "Could not show the window: its page ended again and again"
	}
	return g
}
