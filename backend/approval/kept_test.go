package approval

import (
	"strings"
	"testing"
)

// stored is a file of rules for always that several processes share.
type stored struct {
	t    *testing.T
	text []byte
}

// keep stores what a process changed.
func (s *stored) keep(p *Policy) {
	s.t.Helper()
	merged, done, err := p.Merge(Always, "", s.text)
	if err != nil {
		s.t.Fatal(err)
	}
	s.text = merged
	done()
}

// read loads what is stored.
func (s *stored) read(p *Policy) {
	s.t.Helper()
	if _, _, err := p.Merge(Always, "", s.text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stored) add(p *Policy, pattern string, deny bool) string {
	s.t.Helper()
	r, err := p.Add(Rule{Tool: "shell", Pattern: pattern, Deny: deny, Scope: Always})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.ID
}

func patterns(p *Policy) string {
	var list []string
	for _, r := range p.Rules() {
		list = append(list, r.Pattern)
	}
	return strings.Join(list, ",")
}

// Each process stores only what it changed itself: no rule comes back, and none is lost.
func TestProcessesShareTheRulesForAlways(t *testing.T) {
	t.Parallel()
	s, a, b := &stored{t: t}, NewPolicy(), NewPolicy()
	grant := s.add(a, "make *", false)
	s.keep(a)
	s.read(b)
	if patterns(b) != "make *" {
		t.Fatalf("got %s", patterns(b))
	}
	if !a.Revoke(grant) {
		t.Fatal("it cannot be revoked")
	}
	s.add(a, "git push*", true)
	s.keep(a)
	s.add(b, "ls *", false) // b has not seen what a did
	s.keep(b)
	if patterns(b) != "git push*,ls *" {
		t.Errorf("the second has %s", patterns(b))
	}
	if s.read(a); patterns(a) != "git push*,ls *" {
		t.Errorf("the first has %s", patterns(a))
	}
	// The same rule of two processes is one rule.
	s.add(a, "pwd", false)
	id := s.add(b, "pwd", false)
	s.keep(b)
	s.keep(a)
	if patterns(a) != "git push*,ls *,pwd" || a.Rules()[2].ID != id {
		t.Errorf("got %+v", a.Rules())
	}
}

// A change that could not be stored holds in its own process and is stored with the next one; a
// change made while another one is stored is not lost.
func TestAChangeOfTheRulesThatIsNotStoredYet(t *testing.T) {
	t.Parallel()
	s, p := &stored{t: t}, NewPolicy()
	id := s.add(p, "make *", false)
	if _, _, err := p.Merge(Always, "", s.text); err != nil { // and the disk is full
		t.Fatal(err)
	}
	if s.read(p); patterns(p) != "make *" {
		t.Fatalf("got %s", patterns(p))
	}
	merged, done, err := p.Merge(Always, "", s.text)
	if err != nil || !p.Revoke(id) {
		t.Fatal("it cannot be revoked", err)
	}
	s.text = merged
	done()
	if s.read(p); patterns(p) != "" {
		t.Errorf("a revoked grant is back: %s", patterns(p))
	}
	if s.keep(p); s.text != nil {
		t.Errorf("it is stored: %s", s.text)
	}
}

// Rules without an id, as a person may write them, can be revoked, rules of a later version stay,
// and data that cannot be read changes nothing.
func TestMergingRulesThatWereWrittenByHand(t *testing.T) {
	t.Parallel()
	s, p := &stored{t: t, text: []byte(`{"rules":[{"tool":"shell","pattern":"make *"},{"id":"z","tool":"*","pattern":"*"}]}`)}, NewPolicy()
	s.read(p)
	if len(p.Rules()) != 1 || p.Rules()[0].ID == "" || !p.Revoke(p.Rules()[0].ID) {
		t.Fatalf("got %+v", p.Rules())
	}
	if s.keep(p); len(p.Rules()) != 0 || strings.Contains(string(s.text), "make") || !strings.Contains(string(s.text), `"z"`) {
		t.Errorf("got %+v, stored is %s", p.Rules(), s.text)
	}
	s.add(p, "rm*", true)
	if _, _, err := p.Merge(Always, "", []byte("{")); err == nil || patterns(p) != "rm*" {
		t.Errorf("%v, %s", err, patterns(p))
	}
}

// A grant of another process counts as one of an earlier session: not in a folder without trust.
// Its own grants count there, also once they were read again.
func TestGrantsOfAnotherProcessWaitForTrust(t *testing.T) {
	t.Parallel()
	s, p, other := &stored{t: t}, NewPolicy(), NewPolicy()
	p.CountGrants(func() bool { return false })
	s.add(other, "make *", false)
	s.keep(other)
	s.add(p, "ls *", false)
	s.keep(p)
	s.read(p)
	if rules := p.For("n"); len(rules) != 1 || rules[0].Pattern != "ls *" {
		t.Errorf("got %+v", rules)
	}
}

// A policy asks for the stored rules before it judges.
func TestStoredRulesAreFollowed(t *testing.T) {
	t.Parallel()
	s, other := &stored{t: t}, NewPolicy()
	p, where := grants(t)
	p.Follow(func() { s.read(p) })
	s.add(other, "make *", true)
	s.keep(other)
	if v := Simulate(p, "", "make all", "", where); v.Outcome != Deny {
		t.Errorf("got %+v", v)
	}
}
