package attention_test

import (
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

type window struct{}

func (window) Raise()                        {}
func (window) SetTitle(string)               {}
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
	a.ShowIn(window{})
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
