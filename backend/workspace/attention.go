package workspace

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/desktop"
	"mutsumi/backend/event"
)

// attentionAfter is how long changes are gathered before the person's
// attention is asked for: a run that ends is often followed by the next.
const attentionAfter = 250 * time.Millisecond

// Window is the real window that shows a workspace. Its methods may be called
// from any goroutine.
type Window interface {
	Raise()                // to the front, from wherever it is
	SetTitle(title string) // as the system shows it
}

// attention asks for the person's attention while the window is not in front:
// by one notification for each tree of agents, and by a count in the title and
// on the icon. Without a window it does nothing: a browser has its own title.
type attention struct {
	w      *Workspace
	looked sync.Mutex // held by look, the only one that speaks with the desktop

	mu       sync.Mutex
	window   Window
	notifier *desktop.Notifier
	front    bool
	due      bool
	closed   bool
	ends     []ending        // since the last look
	places   map[uint32]spot // by the id of a notification

	trees   map[string]*treeNews // by the file of the root; look's own
	waiting int                  // told in the title; look's own
}

// spot is what a click opens.
type spot struct{ path, cell string }

func newAttention(w *Workspace) *attention {
	return &attention{w: w, front: true, places: map[uint32]spot{}, trees: map[string]*treeNews{}}
}

// ShowIn says in which window the workspace is shown. Until then, and without
// a window, the system is told nothing.
func (w *Workspace) ShowIn(window Window) {
	a := w.attention
	a.mu.Lock()
	a.window, a.notifier = window, desktop.NewNotifier(a.clicked)
	a.mu.Unlock()
	a.soon()
}

// SetInFront says whether the person sees the window: while they do not, the
// system notifies. What it shows is taken away when they come back.
func (w *Workspace) SetInFront(front bool) error {
	a := w.attention
	a.mu.Lock()
	a.front = front
	a.mu.Unlock()
	a.soon()
	return nil
}

// soon has look called in a moment; until then further calls cost nothing. It
// takes no lock but its own.
func (a *attention) soon() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.window == nil || a.due || a.closed {
		return
	}
	a.due = true
	time.AfterFunc(attentionAfter, a.look)
}

// ended takes in how a run came out.
func (a *attention) ended(path, cell, said string, result agent.Result) {
	a.mu.Lock()
	if a.window != nil {
		e := ending{spot: spot{path, cell}, outcome: result.Outcome, text: result.FinishText}
		if e.text == "" {
			e.text = said
		}
		if result.Fault != nil {
			e.text = result.Fault.Message
		}
		e.text = firstPart(e.text, 16*noteText)
		a.ends = append(a.ends, e)
	}
	a.mu.Unlock()
	a.soon()
}

// look compares what is with what the person was told, and tells them.
func (a *attention) look() {
	a.looked.Lock()
	defer a.looked.Unlock()
	a.mu.Lock()
	a.due = false
	ends, front, closed := a.ends, a.front, a.closed
	a.ends = nil
	a.mu.Unlock()
	if closed {
		return
	}
	a.w.mu.Lock()
	nodes := a.w.nodes // replaced as a whole, never changed in place
	a.w.mu.Unlock()
	pending := slices.DeleteFunc(a.w.inbox.Pending(), func(r approval.Request) bool { return r.Held != "" }) // put aside: it waits for another agent
	quiet := front || a.w.settings.View().Preferences.Quiet
	for _, n := range follow(a.trees, nodes, pending, ends) {
		switch {
		case n.withdrawn || quiet:
			a.withdraw(n.tree)
		case n.title != "":
			a.show(n)
		}
	}
	if front {
		for _, t := range a.trees {
			a.withdraw(t)
		}
	}
	a.count(len(pending))
}

// show puts a notification in the place of the tree's last one. Where the
// desktop shows none there is nobody to tell: the window has it all.
func (a *attention) show(n news) {
	id, err := a.notifier.Show(desktop.Notification{Title: n.title, Body: n.body, Urgent: n.urgent}, n.tree.shown)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.places, n.tree.shown)
	n.tree.shown = id
	a.places[id] = n.place
}

func (a *attention) withdraw(t *treeNews) {
	if t.shown == 0 {
		return
	}
	a.notifier.Withdraw(t.shown)
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.places, t.shown)
	t.shown = 0
}

// count shows in the title and on the icon how much waits for the person.
func (a *attention) count(waiting int) {
	if waiting == a.waiting {
		return
	}
	a.waiting = waiting
	a.window.SetTitle(a.w.title(waiting))
	_ = a.notifier.Badge(waiting) // not every desktop has a place for it
}

// title is that of the window.
func (w *Workspace) title(waiting int) string {
	if waiting == 0 {
		return w.Name() + " - Mutsumi"
	}
	return fmt.Sprintf("(%d) %s - Mutsumi", waiting, w.Name())
}

// Title is what the window's title says while nothing waits for the person.
func (w *Workspace) Title() string { return w.title(0) }

// clicked shows what a notification was about.
func (a *attention) clicked(id uint32) {
	a.mu.Lock()
	at, ours := a.places[id]
	window, closed := a.window, a.closed
	a.mu.Unlock()
	if !ours || closed {
		return
	}
	window.Raise()
	a.w.out.Emit(event.CellWanted{Path: at.path, Cell: at.cell})
}

// close ends it: the count and what is shown go, since nobody can click on it
// any more.
func (a *attention) close() {
	a.mu.Lock()
	a.closed = true
	window := a.window
	a.mu.Unlock()
	if window == nil {
		return
	}
	a.looked.Lock()
	defer a.looked.Unlock()
	for _, t := range a.trees {
		a.withdraw(t)
	}
	if a.waiting > 0 {
		_ = a.notifier.Badge(0)
	}
	a.notifier.Close()
}
