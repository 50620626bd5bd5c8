package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
)

// Decision is the answer to a request.
type Decision struct {
	Allow bool `json:"allow"`

	// Scope, if wider than Once, makes rules of Patterns: grants if Allow is set, denials if not.
	// For a request with Conflicts it also lets these agents write these files for the rest of the
	// session, which needs no pattern.
	Scope    Scope    `json:"scope"`
	Patterns []string `json:"patterns"`

	Reason    string `json:"reason"`    // of a rejection, in the person's words: the model sees it
	Arguments string `json:"arguments"` // a JSON object, when the person changed the arguments; "" leaves them
	Answer    string `json:"answer"`    // to a question, with Allow; choices are joined by ", "

	// Left are the hunks of the changes (FileChange.Hunks) that the person does
	// not want, with Allow: Resolve takes them out of the arguments.
	Left []string `json:"left"`

	// Seen is the Fingerprint of the request as the person saw it, with the changed Arguments if
	// any: unseen changes are not approved. "": not checked.
	Seen string `json:"seen"`

	// SeenMs is when the latest of the Conflicts that the person saw wrote its file, or, if they saw
	// none, the AtMs of the request: later ones are not approved. 0: not checked.
	SeenMs int64 `json:"seenMs"`

	note        string          // of Left, set by Resolve
	fingerprint string          // of what was approved, set by Resolve
	sentBack    bool            // see Inbox.SendBack
	conflicts   []WriteConflict // of the request when it was decided, as far as the person saw them
}

// Note is the text for the model about omitted changes; "" if there are none.
func (d Decision) Note() string { return d.note }

// Fingerprint is the Request.Fingerprint of exactly what a person approved; "" if no person did, or
// the changes are not known.
func (d Decision) Fingerprint() string { return d.fingerprint }

// Conflicts are the write conflicts that the person saw when they decided.
func (d Decision) Conflicts() []WriteConflict { return d.conflicts }

// SentBack reports whether the request ended without a decision, because the call would no longer
// change anything: its caller learns why.
func (d Decision) SentBack() bool { return d.sentBack }

// Change is one change of an inbox: a request was added or removed.
type Change struct {
	Added   *Request
	Removed string // an id
}

// ErrClosed is what Ask returns when the inbox closes before a decision.
var ErrClosed = errors.New("the program is closing")

// Inbox holds the requests of all agents until they are decided. It is safe
// for concurrent use.
type Inbox struct {
	policy  *Policy
	changed func(Change)
	now     func() time.Time

	mu      lock.Mutex
	waiting []*waiter // oldest first
	closed  bool

	publishMu   lock.Mutex
	unpublished []Change
	publishing  bool
}

type waiter struct {
	request Request
	answer  chan Decision // holds one
}

// NewInbox returns an inbox that consults a policy first. changed is called for each change, in
// order and one at a time, with no lock held: it may call the inbox. It may be nil.
func NewInbox(p *Policy, changed func(Change)) *Inbox {
	return &Inbox{policy: p, changed: changed, now: time.Now}
}

// Ask gets a decision: from the policy at once, or from a person, for which it
// blocks. It returns the error of ctx when that ends, and ErrClosed when the
// inbox closes. The request's id is set here.
func (b *Inbox) Ask(ctx context.Context, r Request) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	w := &waiter{answer: make(chan Decision, 1)}
	rules := b.policy.ruling()
	b.mu.Lock()
	// Under the lock, so that a concurrent grant either applies here or finds this request.
	v, d, decided := judged(r, rules)
	if decided {
		b.mu.Unlock()
		return d, nil
	}
	if b.closed {
		b.mu.Unlock()
		return Decision{}, ErrClosed
	}
	r.ID, r.AtMs, r.Verdict = strings.ToLower(rand.Text()[:16]), b.now().UnixMilli(), v
	r.warnOfConflicts(b.now())
	w.request = r
	b.waiting = append(b.waiting, w)
	b.note(Change{Added: &r})
	b.mu.Unlock()
	if r.onWait != nil {
		r.onWait()
	}
	b.publish()
	select {
	case d, ok := <-w.answer:
		if !ok {
			return Decision{}, ErrClosed
		}
		return d, nil
	case <-ctx.Done():
		b.mu.Lock()
		b.drop(w)
		b.mu.Unlock()
		b.publish()
		return Decision{}, ctx.Err()
	}
}

// judged asks the rules about a request as it was read last: it reads nothing
// from disk, because others wait for the lock. A question is the person's
// alone: no rule answers it.
func judged(r Request, rules ruling) (v Verdict, d Decision, decided bool) {
	if r.Question != nil {
		return r.Verdict, Decision{}, false
	}
	v = r.forceAsk(rules.check(r.read))
	d, decided = byPolicy(v)
	return v, d, decided
}

func byPolicy(v Verdict) (Decision, bool) {
	switch v.Outcome {
	case Allow:
		return Decision{Allow: true, Scope: Once}, true
	case Deny:
		return Decision{Scope: Once, Reason: v.Reason}, true
	}
	return Decision{}, false
}

// Pending lists what waits, oldest first. It is never nil.
func (b *Inbox) Pending() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Request, len(b.waiting))
	for i, w := range b.waiting {
		out[i] = w.request
	}
	return out
}

// Resolve decides a request. A decision with a scope wider than Once makes rules, and also decides
// every other request that they settle. Errors: NotFound if the request is gone, Invalid if the
// decision makes no sense, Denied if the person's arguments match a denial, and Conflict if the
// call would now change something else than the person saw; the request then still waits, unless it
// was sent back because nothing would change.
func (b *Inbox) Resolve(id string, d Decision) error {
	if d.Scope == "" {
		d.Scope = Once
	}
	if err := b.upToDate(id, d); err != nil {
		return err
	}
	seen := d // before parts are left out
	if err := b.trim(id, &d); err != nil {
		return err
	}
	read, err := b.edited(id, d)
	if err != nil {
		return err
	}
	if d.fingerprint, err = b.approved(id, seen, d); err != nil {
		return err
	}
	if d.Scope != Once {
		b.readAgain()
	}
	rules := b.policy.ruling()
	b.mu.Lock()
	made, err := b.resolve(id, d, read, rules)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	if made != nil {
		b.policy.publish(made.Scope, made.Notebook)
	}
	b.publish()
	return nil
}

// edited lets the caller check arguments that the person changed, and reads the call with them.
func (b *Inbox) edited(id string, d Decision) (read subject, err error) {
	if !d.Allow || d.Arguments == "" {
		return subject{}, nil
	}
	r, _ := b.waitingFor(id)
	call := r.call
	call.Arguments = d.Arguments
	if r.check == nil {
		return subjectOf(call), nil
	}
	if err := r.check(d.Arguments); err != nil {
		return subject{}, fault.New(fault.Invalid, "the changed arguments cannot be used: %w", err)
	}
	return subjectOf(call), nil
}

// resolve is Resolve under b.mu. Made is one of the rules that were made, for
// the policy's callback.
func (b *Inbox) resolve(id string, d Decision, read subject, rules ruling) (made *Rule, err error) {
	i := slices.IndexFunc(b.waiting, func(w *waiter) bool { return w.request.ID == id })
	if i < 0 {
		return nil, gone()
	}
	w := b.waiting[i]
	if err := sound(w.request, d, read, rules); err != nil {
		return nil, err
	}
	if d.Scope != Once {
		if made, err = b.makeRules(w.request, d); err != nil {
			return nil, err
		}
	}
	b.decide(w, d)
	if d.Scope == Once {
		return nil, nil
	}
	for _, other := range slices.Clone(b.waiting) {
		if _, od, decided := judged(other.request, rules); decided {
			if !od.Allow && d.Reason != "" {
				od.Reason = d.Reason
			}
			b.decide(other, od)
		}
	}
	return made, nil
}

func sound(r Request, d Decision, read subject, rules ruling) error {
	if r.Question != nil {
		return answers(d)
	}
	switch {
	case !slices.Contains([]Scope{Once, Agent, Notebook, Always}, d.Scope):
		return fault.New(fault.Invalid, "there is no scope %q", d.Scope)
	case d.Scope != Once && len(d.Patterns) == 0 && (len(r.Conflicts) == 0 || !d.Allow):
		return fault.New(fault.Invalid, "a decision for more than once needs a pattern")
	}
	if !d.Allow || d.Arguments == "" {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(d.Arguments), &object); err != nil || object == nil {
		return fault.New(fault.Invalid, "the changed arguments are not a JSON object")
	}
	if v := rules.check(read); v.Outcome == Deny {
		return fault.New(fault.Denied, "the changed arguments are not allowed: %s", v.Reason)
	}
	return nil
}

// makeRules makes rules of a decision: all of them or none.
func (b *Inbox) makeRules(r Request, d Decision) (made *Rule, err error) {
	rules := make([]Rule, len(d.Patterns))
	for i, pattern := range d.Patterns {
		rules[i] = Rule{Tool: r.Tool, Pattern: strings.TrimSpace(pattern), Deny: !d.Allow, Scope: d.Scope}
		if d.Scope != Always {
			rules[i].Notebook = r.Notebook
		}
		if err := rules[i].check(); err != nil {
			return nil, err
		}
	}
	for _, rule := range rules {
		rule, fresh, err := b.policy.add(rule)
		if err != nil {
			return nil, err
		}
		if fresh {
			made = &rule
		}
	}
	return made, nil
}

// Recheck decides what waits by the rules as they are now, after some were
// added elsewhere.
func (b *Inbox) Recheck() {
	b.readAgain()
	rules := b.policy.ruling()
	b.mu.Lock()
	for _, w := range slices.Clone(b.waiting) {
		if _, d, decided := judged(w.request, rules); decided {
			b.decide(w, d)
		}
	}
	b.mu.Unlock()
	b.publish()
}

// readAgain reads waiting requests again: files and links may have changed since they were made.
func (b *Inbox) readAgain() {
	b.mu.Lock()
	waiting, calls := slices.Clone(b.waiting), make([]Call, len(b.waiting))
	for i, w := range waiting {
		calls[i] = w.request.call
	}
	b.mu.Unlock()
	for i, w := range waiting {
		read := subjectOf(calls[i])
		b.mu.Lock()
		if now := w.request.call; now.Arguments == calls[i].Arguments && now.Folder == calls[i].Folder {
			w.request.read = read
		}
		b.mu.Unlock()
	}
}

// Close ends all waiting with ErrClosed; later calls of Ask that a person
// would have to decide get it at once.
func (b *Inbox) Close() {
	b.mu.Lock()
	b.closed = true
	for _, w := range slices.Clone(b.waiting) {
		b.drop(w)
		close(w.answer)
	}
	b.mu.Unlock()
	b.publish()
}

// decide ends the wait of a request. Under b.mu.
func (b *Inbox) decide(w *waiter, d Decision) {
	d.conflicts = seenBy(d.SeenMs, w.request.Conflicts)
	b.drop(w)
	w.answer <- d
}

// drop takes a request out. Under b.mu.
func (b *Inbox) drop(w *waiter) {
	if i := slices.Index(b.waiting, w); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.note(Change{Removed: w.request.ID})
	}
}

// note queues a change for publish. It is called under b.mu, which sets the order.
func (b *Inbox) note(c Change) {
	b.publishMu.Lock()
	b.unpublished = append(b.unpublished, c)
	b.publishMu.Unlock()
}

// publish hands the changes over, in order: one caller at a time does it for all.
func (b *Inbox) publish() {
	b.publishMu.Lock()
	if b.publishing {
		b.publishMu.Unlock()
		return
	}
	b.publishing = true
	for len(b.unpublished) > 0 {
		c := b.unpublished[0]
		b.unpublished = b.unpublished[1:]
		b.publishMu.Unlock()
		if b.changed != nil {
			b.changed(c)
		}
		b.publishMu.Lock()
	}
	b.publishing = false
	b.publishMu.Unlock()
}
