package attention_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/attention"
	"mutsumi/backend/desktop"
	"mutsumi/backend/desktop/bustest"
)

// window is a window whose titles are passed on.
type window struct{ titled func(string) }

func (window) Raise()                        {}
func (w window) SetTitle(title string)       { w.titled(title) }
func (window) Notifications() desktop.Sender { return desktop.Sender{} }

// A run reports its outcome first and changes the tree next. Here the root does both while the update
// for the child's end reads the tree.
func TestARunThatEndsDuringAnUpdateIsNotifiedWithItsOutcome(t *testing.T) {
	address := bustest.Start(t)
	service := bustest.Serve(t, address, "body", "actions")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)

	root := agenttree.Node{File: "root.mtm", UUID: "r", Name: "Root", Status: agenttree.Running}
	child := agenttree.Node{File: "child.mtm", UUID: "c", Name: "Child", ParentID: "r", Status: agenttree.Running}
	var a *attention.Announcer
	var childEnded, rootEnded atomic.Bool
	a = attention.New(attention.Source{
		Name:    "folder",
		Pending: func() []approval.Request { return nil },
		Muted:   func() bool { return false },
		Open:    func(string, string) {},
		Nodes: func() []agenttree.Node {
			if childEnded.Load() && rootEnded.CompareAndSwap(false, true) {
				a.RunEnded(root.File, "1", "root says", agent.Result{Outcome: agent.Done})
			}
			nodes := []agenttree.Node{root, child}
			if childEnded.Load() {
				nodes[1].Status = agenttree.Finished
			}
			if rootEnded.Load() {
				nodes[0].Status = agenttree.Standby
			}
			return nodes
		},
	})
	a.ShowIn(window{func(string) {}})
	t.Cleanup(a.Close)
	a.SetInFront(false)
	a.RunEnded(child.File, "1", "child says", agent.Result{Outcome: agent.Done})
	childEnded.Store(true)
	a.Changed()
	select {
	case n := <-service.Shown:
		if n.Title != "Root is done" || n.Body != "root says" {
			t.Errorf("%+v", n)
		}
	case <-time.After(time.Minute):
		t.Fatal("no notification was shown")
	}
}

// A request, or a sign-in, that comes as the person looks away is notified about, however busy the
// machine is.
func TestWhatComesAsThePersonLooksAway(t *testing.T) {
	address := bustest.Start(t)
	service := bustest.Serve(t, address, "body", "actions")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)

	var a *attention.Announcer
	var away atomic.Bool
	a = attention.New(attention.Source{
		Name:    "folder",
		Pending: func() []approval.Request { return []approval.Request{{ID: "1", Path: "root.mtm", Agent: "Root"}} },
		Muted:   func() bool { return false },
		Open:    func(string, string) {},
		Nodes: func() []agenttree.Node {
			if away.Load() {
				time.Sleep(1500 * time.Millisecond)
			}
			return []agenttree.Node{{File: "root.mtm", UUID: "r", Name: "Root", Status: agenttree.Running}}
		},
	})
	a.ShowIn(window{func(string) { // at the end of the first update
		a.SignInWanted("server")
		away.Store(true)
		a.SetInFront(false)
	}})
	t.Cleanup(a.Close)
	for _, want := range []string{"Root needs you", "Sign in to server"} {
		select {
		case n := <-service.Shown:
			if !strings.HasPrefix(n.Title, want) {
				t.Errorf("%+v instead of %q", n, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("no notification was shown: %q", want)
		}
	}
}
