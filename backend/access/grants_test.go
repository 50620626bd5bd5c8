package access

import (
	"fmt"
	"sync"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/settings"
)

const agentUUID = "0b54a1a2-6f0b-4b52-9c43-8a3f4e6a7c11"

// grantsOf returns the grants of a folder with one agent, whose changes are stored after a call of
// before.
func grantsOf(t *testing.T, before func(*Grants)) (*Grants, *approval.Policy, *settings.Rights) {
	t.Helper()
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	policy, rights := approval.NewPolicy(), store.Rights(t.TempDir())
	g := NewGrants(policy, rights, func(string) (string, bool) { return "a.mtm", true }, func(string) {})
	policy.OnChange(func(_ approval.Scope, uuid string) {
		before(g)
		if _, err := g.Keep(uuid); err != nil {
			t.Error(err)
		}
	})
	return g, policy, rights
}

func agentRule(pattern string) approval.Rule {
	return approval.Rule{Tool: "shell", Pattern: pattern, Scope: approval.Notebook, Notebook: agentUUID}
}

// A rule that is made while the stored ones are read, as after a change in the folder, stays in
// force and is stored; a revoked one does not come back.
func TestStoredGrantsAreReadBeforeANewOneIsStored(t *testing.T) {
	t.Parallel()
	agent := settings.Agent{File: "a.mtm", UUID: agentUUID}
	g, policy, rights := grantsOf(t, func(g *Grants) { g.LoadFor(agent) })
	for _, pattern := range []string{"ls *", "make *"} {
		if _, err := policy.Add(agentRule(pattern)); err != nil {
			t.Fatal(err)
		}
	}
	rules := policy.For(agentUUID)
	if len(rules) != 2 {
		t.Fatalf("the policy has %+v", rules)
	}
	if !policy.Revoke(rules[0].ID) {
		t.Fatal("it cannot be revoked")
	}
	if g.LoadFor(agent); len(policy.For(agentUUID)) != 1 || policy.For(agentUUID)[0].Pattern != "make *" {
		t.Errorf("after the revocation the policy has %+v", policy.For(agentUUID))
	}
	again := approval.NewPolicy()
	if _, _, err := again.Merge(approval.Notebook, agentUUID, rights.Grants(agent)); err != nil || len(again.Rules()) != 1 {
		t.Errorf("stored is %s, %v", rights.Grants(agent), err)
	}
}

// What was read before a rule was stored does not replace it.
func TestGrantsAreReadAndStoredAtOnce(t *testing.T) {
	t.Parallel()
	agent := settings.Agent{File: "a.mtm", UUID: agentUUID}
	g, policy, _ := grantsOf(t, func(*Grants) {})
	stop := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				g.LoadFor(agent)
			}
		}
	})
	defer reading.Wait()
	defer close(stop)
	for i := range 50 {
		if _, err := policy.Add(agentRule(fmt.Sprintf("make a%d", i))); err != nil {
			t.Fatal(err)
		}
		if n := len(policy.For(agentUUID)); n != i+1 {
			t.Fatalf("after rule %d the policy has %d rules", i+1, n)
		}
	}
}
