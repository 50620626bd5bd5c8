package acp

import (
	"encoding/json"

	"mutsumi/backend/clip"
)

// maxPlan is how many entries of a plan are kept.
const maxPlan = 100

// note takes a plan: a call with its result.
func (r *reply) note(entries json.RawMessage) {
	var all []planEntry
	if decode(entries, &all) != nil {
		return
	}
	kept := []planEntry{}
	for _, e := range all {
		if e.Content != "" && len(kept) < maxPlan {
			kept = append(kept, planEntry{clip.VisibleLine(e.Content, maxSaid), clip.VisibleLine(e.Priority, 20), clip.VisibleLine(e.Status, 20)})
		}
	}
	args := object("entries", kept)
	if args == r.plan || len(kept) == 0 || len(r.ids) >= r.limits.calls || !r.grow(len(args)) {
		return
	}
	r.plan = args
	c := &call{id: r.freeID("plan"), kind: "plan", plan: args, reply: r, status: "completed", finished: true}
	r.calls["plan\x00"+c.id] = c
	if r.isPut {
		c.waits = true
		r.hold(piece{call: c})
		return
	}
	r.join(c)
}
