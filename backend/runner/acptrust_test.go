package runner_test

import (
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// An agent does not start if the folder ceased to be trusted while its run waited.
func TestTrustIsWithdrawnWhileAnAgentWaits(t *testing.T) {
	a := withAgent(t, "marks")
	if err := a.SetPaused(true); err != nil {
		t.Fatal(err)
	}
	a.begin("say hello")
	paused := func() bool {
		return slices.ContainsFunc(a.Nodes(), func(n agenttree.Node) bool { return n.Action == "paused" })
	}
	for !paused() {
		next[event.TreeChanged](a.agentAtWork)
	}
	if err := a.TrustFolder(false); err != nil {
		t.Fatal(err)
	}
	if err := a.SetPaused(false); err != nil {
		t.Fatal(err)
	}
	end := next[event.RunFinished](a.agentAtWork)
	if end.Outcome != notebook.Failed || end.Fault == nil || end.Fault.Kind != fault.Denied || !strings.Contains(end.Fault.Message, "not trusted") {
		t.Errorf("the run ended %s: %+v", end.Outcome, end.Fault)
	}
	if got := a.file("started"); !strings.HasPrefix(got, "!") {
		t.Error("the agent started")
	}
	if err := a.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	if got := a.ask("say hello"); got != "hello" || a.file("started") != "" {
		t.Errorf("in a trusted folder: %q, %q", got, a.file("started"))
	}
}
