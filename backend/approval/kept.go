package approval

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// kept is the form in which rules are saved.
type kept struct {
	Rules []keptRule `json:"rules"`
}

type keptRule struct {
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Pattern string `json:"pattern"`
	Deny    bool   `json:"deny,omitempty"`
	AtMs    int64  `json:"atMs"`
}

func (r Rule) kept() keptRule { return keptRule{r.ID, r.Tool, r.Pattern, r.Deny, r.AtMs} }

func (k keptRule) rule(scope Scope, notebook string) Rule {
	return Rule{ID: k.ID, Tool: k.Tool, Pattern: k.Pattern, Deny: k.Deny, Scope: scope, Notebook: notebook, AtMs: k.AtMs}
}

// readKept reads saved rules and gives each an id of its own; empty data means none.
func readKept(data []byte) (k kept, err error) {
	if len(data) == 0 {
		return kept{}, nil
	}
	if err := json.Unmarshal(data, &k); err != nil {
		return kept{}, fault.New(fault.Invalid, "read saved approvals: %v", err)
	}
	seen := map[string]bool{}
	for i := range k.Rules {
		if r := &k.Rules[i]; r.ID == "" || seen[r.ID] {
			r.ID = strings.ToLower(rand.Text()[:12])
		}
		seen[k.Rules[i].ID] = true
	}
	return k, nil
}

// text returns the rules as JSON; nil if there are none.
func (k kept) text() []byte {
	if len(k.Rules) == 0 {
		return nil
	}
	out, err := json.Marshal(k)
	if err != nil {
		return nil // strings and numbers always marshal
	}
	return out
}

// Save returns the rules of a scope as JSON, for the person's state folder: those of Notebook for
// that notebook, or of Always. nil means that there are none.
func (p *Policy) Save(scope Scope, notebook string) []byte {
	if scope == Always {
		notebook = ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var k kept
	for _, r := range p.rules {
		if r.Scope == scope && r.Notebook == notebook {
			k.Rules = append(k.Rules, r.kept())
		}
	}
	return k.text()
}

// replace makes saved rules those of a scope. Under p.mu.
func (p *Policy) replace(scope Scope, notebook string, k kept) {
	rules := slices.Clone(p.rules)
	var before []Rule
	rules = slices.DeleteFunc(rules, func(r Rule) bool {
		if r.Scope != scope || r.Notebook != notebook {
			return false
		}
		before = append(before, r)
		return true
	})
	for _, saved := range k.Rules {
		r := saved.rule(scope, notebook)
		if r.check() != nil {
			continue // of a later version, or spoilt: a rule that means nothing grants nothing
		}
		here := func(have Rule) bool { return have.same(r) && !p.loaded[have.ID] }
		if !slices.ContainsFunc(before, here) {
			p.loaded[r.ID] = true
		}
		rules = append(rules, r)
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(a.AtMs, b.AtMs) })
	p.rules = rules
}

// Follow sets the function that is called, with no lock held, before the rules are used. It loads
// what another process stored (Merge), and may read the disk. Call Follow before using the policy.
func (p *Policy) Follow(fn func()) { p.follow = fn }

// change is a change of the rules that is not stored yet.
type change struct {
	rule    Rule
	removed bool
}

// noteChange notes a change for Merge. Under p.mu.
func (p *Policy) noteChange(r Rule, removed bool) {
	if r.Scope != Agent {
		p.unkept = append(p.unkept, change{r, removed})
	}
}

// Merge makes stored rules the ones of a scope: of Notebook, for that notebook, or of Always, where
// notebook is "". This policy's own changes that are not stored yet stay in force. It returns what
// to store, nil for no rules, and a function to call once that is stored. The data of the other
// rules is kept, even of those that this version cannot use. An error means that the data cannot be
// read, and changes nothing. OnChange is not called. Only one call at a time may read the stored
// rules of a scope and merge them, or store its result.
func (p *Policy) Merge(scope Scope, notebook string, data []byte) (merged []byte, stored func(), err error) {
	k, err := readKept(data)
	if err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.unkept {
		if c.rule.Scope != scope || c.rule.Notebook != notebook {
			continue
		}
		n++
		same := func(saved keptRule) bool { return saved.rule(scope, notebook).same(c.rule) }
		switch {
		case c.removed:
			k.Rules = slices.DeleteFunc(k.Rules, same)
		case !slices.ContainsFunc(k.Rules, same):
			k.Rules = append(k.Rules, c.rule.kept())
		}
	}
	p.replace(scope, notebook, k)
	return k.text(), func() { p.noteStored(scope, notebook, n) }, nil
}

// noteStored forgets the first n changes of a scope that were noted: they are stored.
func (p *Policy) noteStored(scope Scope, notebook string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unkept = slices.DeleteFunc(slices.Clone(p.unkept), func(c change) bool {
		if n == 0 || c.rule.Scope != scope || c.rule.Notebook != notebook {
			return false
		}
		n--
		return true
	})
}
