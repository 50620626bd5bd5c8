// Package page keeps the page of a window alive (SPEC 16.7): it decides when a page whose
// process ended, that does not answer, or that stays empty is loaded again, and when that
// is of no use. It knows no web view: package webkit below it is the one on Linux. The
// window of the program calls it; what the page shows is the interface's.
package page

import (
	"time"

	"mutsumi/backend/lock"
)

// Cause is why a page was loaded again.
type Cause string

// The causes.
const (
	Ended  Cause = "ended"  // its process ended: a crash, or another program
	Memory Cause = "memory" // its process took more memory than it may
	Frozen Cause = "frozen" // it did not answer
	Empty  Cause = "empty"  // it never said that it shows something
)

// Every is how long a beat lasts. Time is counted in beats alone: while the machine or the
// program sleeps there are none, and where all is slow they come late.
const Every = 3 * time.Second

const (
	patience      = 3  // beats that a page may leave unanswered
	firstPatience = 10 // beats until a page that loads shows something
	healthy       = 20 // beats after which earlier failures count no more
	most          = 3  // failures, without a healthy time between two, after which it is not loaded again
)

// View is the web view. Its methods may be called from any goroutine, return at once, and
// call the Keeper only later.
type View interface {
	Load()          // loads the page from its start
	End()           // ends the page's process; Keeper.Ended follows
	Ask()           // asks the page whether it answers; Keeper.Answered follows
	GiveUp(g Given) // shows in the place of the page what happened and the ways out
}

// Given is what is shown instead of a page that is not loaded again, in English.
type Given struct{ Title, Text, Again, Quit string }

// Keeper watches over one page. It is safe for concurrent use.
type Keeper struct {
	view   View
	failed func(Cause, bool) // a page is loaded again, or not any more: for the log

	mu      lock.Mutex
	shows   bool  // the page said that it shows something
	asked   bool  // it was asked, and has not answered
	beats   int   // unanswered ones in a row; until the page shows something, all
	well    int   // beats in which it answered, since it shows something
	fails   int   // since the last healthy time
	cause   Cause // of the load under way; "": the first one, or the page knows
	ending  Cause // its process is being ended for this
	givenUp bool
	closed  bool
}

// New returns a keeper of the page that a view loads now. It calls failed at each failure,
// with whether the page is loaded again.
func New(view View, failed func(cause Cause, again bool)) *Keeper {
	return &Keeper{view: view, failed: failed}
}

// Beat says that Every has passed. With held the page may be waiting for a dialog of the
// system: the time does not count.
func (k *Keeper) Beat(held bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed || k.givenUp || held:
		return
	case k.ending != "": // it ended without a word
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

// end ends the page's process if it does not answer; one that answers is just loaded again.
func (k *Keeper) end(cause Cause) {
	if !k.asked {
		k.fail(cause)
		return
	}
	k.ending = cause
	k.view.End()
}

// Answered says that the page answered.
func (k *Keeper) Answered() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = false
}

// Ended says that the page's process ended, for lack of memory if so.
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

// fail loads the page again, unless it failed too often or is empty for the second time.
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

// Shows says that the page shows something. It returns why it was loaded again, for the
// person; "" if it was not.
func (k *Keeper) Shows() Cause {
	k.mu.Lock()
	defer k.mu.Unlock()
	cause := k.cause
	k.shows, k.beats, k.cause = true, 0, ""
	return cause
}

// Again loads the page after it was given up: the person wants it.
func (k *Keeper) Again() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.givenUp || k.closed {
		return
	}
	k.givenUp, k.fails = false, 0
	k.view.Load()
}

// GivenUp is whether the page is not loaded again: there is nobody to ask in it.
func (k *Keeper) GivenUp() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.givenUp
}

// Close ends the watch: the window is being closed.
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
