package approval

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
)

// Rule is a grant or a denial.
type Rule struct {
	ID       string `json:"id"`
	Tool     string `json:"tool"`    // "*" is any tool, for denials only
	Pattern  string `json:"pattern"` // see ValidPattern
	Deny     bool   `json:"deny"`
	Scope    Scope  `json:"scope"`    // Agent, Notebook or Always
	Notebook string `json:"notebook"` // the notebook's uuid; "" for Always
	AtMs     int64  `json:"atMs"`     // Unix milliseconds of when it was made
}

// Policy is a set of rules. It is safe for concurrent use.
type Policy struct {
	mu      lock.Mutex
	rules   []Rule
	loaded  map[string]bool // ids of rules that were not made in this session
	unkept  []change        // see Merge
	follow  func()
	counts  func() bool
	changed func(Scope, string)
	now     func() time.Time
}

// NewPolicy makes an empty policy.
func NewPolicy() *Policy {
	return &Policy{loaded: map[string]bool{}, follow: func() {}, counts: func() bool { return true }, now: time.Now}
}

// CountGrants sets the function that reports whether loaded grants apply; denials always do. It may
// read the disk and is called with no lock held. Call CountGrants before using the policy.
func (p *Policy) CountGrants(counts func() bool) { p.counts = counts }

// OnChange sets the function to call after rules of a scope changed, with the notebook's uuid for
// Agent and Notebook. It is called with no lock held. Call OnChange before using the policy.
func (p *Policy) OnChange(fn func(scope Scope, notebook string)) { p.changed = fn }

// Add adds a rule and returns it with its id and time. A rule that exists already is returned as it
// is. Errors are Invalid.
func (p *Policy) Add(r Rule) (Rule, error) {
	r, fresh, err := p.add(r)
	if fresh {
		p.publish(r.Scope, r.Notebook)
	}
	return r, err
}

// add is Add without notifying anybody.
func (p *Policy) add(r Rule) (added Rule, fresh bool, err error) {
	r.Pattern = strings.TrimSpace(r.Pattern)
	if err := r.check(); err != nil {
		return Rule{}, false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, have := range p.rules {
		if have.same(r) {
			return have, false, nil
		}
	}
	r.ID, r.AtMs = strings.ToLower(rand.Text()[:12]), p.now().UnixMilli()
	p.rules = append(p.rules, r)
	p.noteChange(r, false)
	return r, true, nil
}

func (r Rule) check() error {
	switch {
	case r.Scope != Agent && r.Scope != Notebook && r.Scope != Always:
		return fault.New(fault.Invalid, "a rule is for an agent, a notebook or always, not %q", r.Scope)
	case r.Scope == Always && r.Notebook != "":
		return fault.New(fault.Invalid, "a rule for always belongs to no notebook")
	case r.Scope != Always && r.Notebook == "":
		return fault.New(fault.Invalid, "a rule for the scope %s needs its notebook", r.Scope)
	case r.Tool == "":
		return fault.New(fault.Invalid, "a rule needs the name of a tool")
	case r.Tool == "*" && !r.Deny:
		return fault.New(fault.Invalid, "nothing can be granted for all tools at once: name the tool")
	}
	return ValidPattern(r.Tool, r.Pattern)
}

func (r Rule) same(o Rule) bool {
	return r.Tool == o.Tool && r.Pattern == o.Pattern && r.Deny == o.Deny && r.Scope == o.Scope && r.Notebook == o.Notebook
}

// Revoke removes a rule and reports whether it was there.
func (p *Policy) Revoke(id string) bool {
	p.mu.Lock()
	i := slices.IndexFunc(p.rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		p.mu.Unlock()
		return false
	}
	r := p.rules[i]
	p.rules = slices.Delete(slices.Clone(p.rules), i, i+1)
	p.noteChange(r, true)
	p.mu.Unlock()
	p.publish(r.Scope, r.Notebook)
	return true
}

// Forget drops a notebook's rules of both scopes from memory, when it is closed or deleted.
func (p *Policy) Forget(notebook string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := func(r Rule) bool { return r.Scope != Always && r.Notebook == notebook }
	p.rules = slices.DeleteFunc(slices.Clone(p.rules), of)
	p.unkept = slices.DeleteFunc(slices.Clone(p.unkept), func(c change) bool { return of(c.rule) })
}

// Finish drops the rules that last as long as an agent works: its work is done.
func (p *Policy) Finish(notebook string) {
	p.mu.Lock()
	before := len(p.rules)
	p.rules = slices.DeleteFunc(slices.Clone(p.rules), func(r Rule) bool { return r.Scope == Agent && r.Notebook == notebook })
	fewer := len(p.rules) < before
	p.mu.Unlock()
	if fewer {
		p.publish(Agent, notebook)
	}
}

// Rules lists all rules, oldest first. It is never nil.
func (p *Policy) Rules() []Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Rule{}, p.rules...)
}

// For lists the rules that count in a notebook, oldest first.
func (p *Policy) For(notebook string) []Rule { return p.ruling().of(notebook) }

// ruling is a policy with the answer of CountGrants: it reads nothing from disk, so it can be used
// under a lock. Rules added later apply to it too.
type ruling struct {
	policy      *Policy
	countLoaded bool // whether grants that were loaded count
}

// ruling takes over what other processes stored and asks whether loaded grants apply, with no lock
// held.
func (p *Policy) ruling() ruling {
	p.follow()
	return ruling{p, p.counts()}
}

// of lists the rules that count in a notebook, oldest first.
func (r ruling) of(notebook string) []Rule {
	r.policy.mu.Lock()
	defer r.policy.mu.Unlock()
	return slices.DeleteFunc(append([]Rule{}, r.policy.rules...), func(rule Rule) bool {
		return rule.Scope != Always && rule.Notebook != notebook || !r.countLoaded && !rule.Deny && r.policy.loaded[rule.ID]
	})
}

func (p *Policy) publish(s Scope, notebook string) {
	if p.changed != nil {
		p.changed(s, notebook)
	}
}
