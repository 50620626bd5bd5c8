package runner

import (
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/clip"
	"mutsumi/backend/cost"
	"mutsumi/backend/loopdetect"
	"mutsumi/backend/tool"
)

// detectLoops begins to watch a run for repetition and silence. tools describe its
// calls.
func (d *doc) detectLoops(r *run, tools *tool.Registry) {
	d.do(func(tx *Tx) {
		r.activity.loops = loopdetect.New(time.Now(), func(name, arguments string) string {
			if call, err := tools.Prepare(name, arguments); err == nil && call.Action != "" {
				return clip.Plain(call.Action, 80)
			}
			return "calling " + clip.Plain(name, 40)
		})
	})
}

// advice returns what the person should do about the active run: it repeats itself,
// is silent, or nearly spent its budget; "" if all is well. A run that waits, for
// others or for its turn, does not count as silent.
func (tx queueTx) advice(l agenttree.Live) string {
	s := tx.active.activity.loops
	if s == nil {
		return ""
	}
	if l.NeedsYou || tx.active.waitMs > nowMs() || l.Action == pausedAction || strings.HasPrefix(l.Action, "waiting for") {
		s.Heard(time.Now())
	}
	if at, printed := tx.runner.with.Commands.Printed(tx.Notebook().UUID()); printed {
		s.Heard(at)
	}
	if advice := s.Advice(time.Now()); advice != "" {
		return advice
	}
	if decision := tx.spending().decide(cost.FromDollars(tx.spending().budget())); decision.Verdict == cost.NearlySpent {
		return decision.Text + " Raise the budget, or stop it before it is spent."
	}
	return ""
}
