// Package attention asks for the person's attention while the window is not in
// front: by one notification of the system for each tree of agents, and by a
// count in the title and on the icon.
package attention

import (
	"fmt"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/clip"
	"mutsumi/backend/desktop"
	"mutsumi/backend/language"
	"mutsumi/backend/lock"
)

// debounce is how long changes are collected before the user is notified: a run
// that ends is often followed by the next.
const debounce = 250 * time.Millisecond

// glance is how long before the person looks away a request counts as unseen: it may arrive while
// they turn to another window, or before the page has reported that they do.
const glance = time.Second

// Window is the real window that shows a workspace. Its methods may be called
// from any goroutine.
type Window interface {
	Raise()                // to the front, from wherever it is
	SetTitle(title string) // as the system shows it
	// Notifications shows notifications with the window's own library; the zero value on Linux,
	// which uses D-Bus.
	Notifications() desktop.Sender
}

// Source is an Announcer's access to its folder. The functions may be called from any goroutine.
type Source struct {
	Name    string                    // of the folder
	Nodes   func() []agenttree.Node   // never changed in place
	Pending func() []approval.Request // what waits for the person
	Muted   func() bool               // the person wants no notifications
	Open    func(path, cell string)   // show a cell in the window
	// Language is that of the notifications; nil is English.
	Language func() language.Catalogue
}

// Announcer notifies the person about a folder's agents. Without a window it does nothing: a
// browser has its own title. It is safe for concurrent use.
type Announcer struct {
	source   Source
	updating lock.Mutex // held by update, the only one that speaks with the desktop

	mu       lock.Mutex
	window   Window
	notifier *desktop.Notifier
	front    bool
	away     time.Time // when the person looked away last
	due      bool
	closed   bool
	ends     []ending          // since the last update
	signIns  []wantedSignIn    // since the last update, and those that came a moment ago
	targets  map[uint32]target // by the id of a notification

	trees   map[string]*treeState // by the file of the root; update's own
	waiting int                   // shown in the title; update's own
}

// target is the place that a click on a notification opens.
type target struct{ path, cell string } // empty: the window alone

// wantedSignIn is a sign-in that an agent needs.
type wantedSignIn struct {
	server string
	at     time.Time
}

// New returns an announcer that has no window yet.
func New(source Source) *Announcer {
	return &Announcer{source: source, front: true, targets: map[uint32]target{}, trees: map[string]*treeState{}}
}

// ShowIn sets the window that shows the folder. Without one there are no
// notifications.
func (a *Announcer) ShowIn(window Window) {
	a.mu.Lock()
	a.window, a.notifier = window, desktop.NewNotifier(window.Notifications(), a.clicked)
	a.mu.Unlock()
	a.Changed()
}

// SetInFront sets whether the user sees the window. While they do not,
// notifications are shown; they are removed when the user comes back.
func (a *Announcer) SetInFront(front bool) {
	a.mu.Lock()
	if a.front && !front {
		a.away = time.Now()
	}
	a.front = front
	a.mu.Unlock()
	a.Changed()
}

// Changed reports that nodes or requests changed. Notifications follow after a
// short delay; until then further calls cost nothing. It takes no lock but the announcer's own.
func (a *Announcer) Changed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.window == nil || a.due || a.closed {
		return
	}
	a.due = true
	time.AfterFunc(debounce, a.update)
}

// RunEnded records the outcome of a cell's run; said is the last text of the agent.
func (a *Announcer) RunEnded(path, cell, said string, result agent.Result) {
	a.mu.Lock()
	if a.window != nil {
		e := ending{target: target{path, cell}, outcome: result.Outcome, text: result.FinishText}
		if e.text == "" {
			e.text = said
		}
		if result.Fault != nil {
			e.text = a.catalogue().Fault(result.Fault)
		}
		e.text = clip.Bytes(e.text, 16*maxBody)
		a.ends = append(a.ends, e)
	}
	a.mu.Unlock()
	a.Changed()
}

// SignInWanted notifies the person that they have to sign in to an MCP server. While they see the
// window it shows that instead.
func (a *Announcer) SignInWanted(server string) {
	a.mu.Lock()
	if a.window != nil {
		a.signIns = append(a.signIns, wantedSignIn{server, time.Now()})
	}
	a.mu.Unlock()
	a.Changed()
}

// unseenSignIns takes the wanted sign-ins that the person did not see.
func (a *Announcer) unseenSignIns() (servers []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.signIns = slices.DeleteFunc(a.signIns, func(s wantedSignIn) bool {
		if a.front {
			return time.Since(s.at) >= glance
		}
		if a.away.Sub(s.at) < glance {
			servers = append(servers, s.server)
		}
		return true
	})
	return servers
}

func (a *Announcer) showSignIn(server string) {
	id, err := a.notifier.Show(desktop.Notification{
		Title: a.catalogue().Text("Sign in to {0}", clip.VisibleLine(server, 60)),
		Body:  clip.Line(a.source.Name, maxBody) + ": " + a.catalogue().Text("an agent needs it. Settings, MCP servers."),
	}, 0)
	if err != nil {
		return // the window has it all
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.targets[id] = target{}
}

// withdrawSignIns withdraws notifications about sign-ins: the person sees the window.
func (a *Announcer) withdrawSignIns() {
	a.mu.Lock()
	var ids []uint32
	for id, at := range a.targets {
		if at == (target{}) {
			ids = append(ids, id)
			delete(a.targets, id)
		}
	}
	a.mu.Unlock()
	for _, id := range ids {
		a.notifier.Withdraw(id)
	}
}

// update compares the present state with the last notification, and notifies the person of the difference.
func (a *Announcer) update() {
	a.updating.Lock()
	defer a.updating.Unlock()
	a.mu.Lock()
	a.due = false
	closed := a.closed
	a.mu.Unlock()
	if closed {
		return
	}
	// Read the nodes before the ends. A run that ends between the two still runs in these nodes, and
	// its end waits for the next update. In the other order it would be at rest without an end.
	nodes := a.source.Nodes()
	a.mu.Lock()
	ends, front, away := a.ends, a.front, a.away
	a.ends = nil
	a.mu.Unlock()
	pending := slices.DeleteFunc(a.source.Pending(), func(r approval.Request) bool { return r.Held != "" }) // on hold: it waits for another agent
	muted := front || a.source.Muted()
	for _, n := range update(a.trees, nodes, pending, ends, a.catalogue()) {
		n.tree.unseen = nil
		switch {
		case n.withdrawn || muted:
			a.withdraw(n.tree)
			if front && n.urgent && !n.withdrawn {
				n.tree.unseen, n.tree.unseenAt = &n, time.Now()
			}
		case n.title != "":
			a.show(n)
		}
	}
	for _, t := range a.trees {
		if front {
			a.withdraw(t)
		} else if n := t.unseen; n != nil {
			if t.unseen = nil; !muted && away.Sub(t.unseenAt) < glance {
				a.show(*n)
			}
		}
	}
	for _, server := range a.unseenSignIns() {
		if !muted {
			a.showSignIn(server)
		}
	}
	if front {
		a.withdrawSignIns()
	}
	a.count(len(pending))
}

// show replaces the tree's last notification. If the desktop cannot show it, nothing is lost: the
// window shows everything.
func (a *Announcer) show(n notice) {
	id, err := a.notifier.Show(desktop.Notification{Title: n.title, Body: n.body, Urgent: n.urgent}, n.tree.shown)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.targets, n.tree.shown)
	n.tree.shown = id
	a.targets[id] = n.target
}

func (a *Announcer) withdraw(t *treeState) {
	if t.shown == 0 {
		return
	}
	a.notifier.Withdraw(t.shown)
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.targets, t.shown)
	t.shown = 0
}

// count shows the number of waiting requests in the title and on the icon.
func (a *Announcer) count(waiting int) {
	if waiting == a.waiting {
		return
	}
	a.waiting = waiting
	a.window.SetTitle(a.title(waiting))
	_ = a.notifier.Badge(waiting) // not every desktop has a place for it
}

// Title is the window's title while nothing waits for the person.
func (a *Announcer) Title() string { return a.title(0) }

func (a *Announcer) catalogue() language.Catalogue {
	if a.source.Language == nil {
		return language.Of(language.English)
	}
	return a.source.Language()
}

func (a *Announcer) title(waiting int) string {
	if waiting == 0 {
		return a.source.Name + " - Mutsumi"
	}
	return fmt.Sprintf("(%d) %s - Mutsumi", waiting, a.source.Name)
}

// clicked opens the subject of a notification.
func (a *Announcer) clicked(id uint32) {
	a.mu.Lock()
	at, ours := a.targets[id]
	window, closed := a.window, a.closed
	a.mu.Unlock()
	if !ours || closed {
		return
	}
	window.Raise()
	if at != (target{}) {
		a.source.Open(at.path, at.cell)
	}
}

// Close ends the announcer and removes the count and the notifications, since a click on them would
// no longer do anything.
func (a *Announcer) Close() {
	a.mu.Lock()
	a.closed = true
	window := a.window
	a.mu.Unlock()
	if window == nil {
		return
	}
	a.updating.Lock()
	defer a.updating.Unlock()
	for _, t := range a.trees {
		a.withdraw(t)
	}
	a.withdrawSignIns()
	if a.waiting > 0 {
		_ = a.notifier.Badge(0)
	}
	a.notifier.Close()
}
