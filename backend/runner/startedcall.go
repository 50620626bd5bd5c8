package runner

import (
	"context"

	"mutsumi/backend/agent"
	"mutsumi/backend/request"
)

// beforeEffect records in the notebook that a call that changes something is about to start, and
// returns once the record is on disk (SPEC 7.6).
func (d *doc) beforeEffect(ctx context.Context, r *run, e agent.Effect) error {
	err := locked(d, func(tx *Tx) error {
		return request.SetStartedCall(tx.Tx, r.cell, &request.StartedCall{Index: e.Index, Call: e.Call.ID})
	})
	if err != nil {
		return err
	}
	return d.Written(ctx)
}
