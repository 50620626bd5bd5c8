package workspace

import (
	"context"
	"encoding/json"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/fault"
)

// keyStarted is where the prompt of an answer under way keeps the call that
// was started last of those that change something. After a crash it tells a
// call that may have taken effect from one that only was asked for.
const keyStarted = "started_call"

// startedCall is a call that was allowed to change something.
type startedCall struct {
	Index int    `json:"index"` // of the message with the call, in the answer
	Call  string `json:"call"`  // the model's id for it
}

// beforeEffect notes that a call begins to change something, and returns when
// that is on the disk (SPEC 7.6).
func (d *doc) beforeEffect(ctx context.Context, r *run, e agent.Effect) error {
	err := locked(d, func(tx *Tx) error { return tx.runs().keepStarted(r.cell, &startedCall{e.Index, e.Call.ID}) })
	if err != nil {
		return err
	}
	return d.written(ctx)
}

// keepStarted writes which call of a cell's running answer was started; nil
// removes it.
func (tx queueTx) keepStarted(cell string, call *startedCall) error {
	var raw json.RawMessage
	if call != nil {
		var err error
		if raw, err = json.Marshal(call); err != nil {
			return err
		}
	}
	tx.saver.soon(tx.Tx)
	return tx.nb.KeepPromptMeta(cell, keyStarted, raw)
}

// started reads which call of a cell's answer was started last; the zero value
// when none was.
func (tx queueTx) started(cell string) (call startedCall) {
	raw, err := tx.nb.PromptMeta(cell, keyStarted)
	if err != nil || raw == nil || json.Unmarshal(raw, &call) != nil {
		return startedCall{}
	}
	return call
}

// written returns when everything that the notebook holds now outlives a
// crash: it is in the file or, while a conflict waits for the person, beside
// it. The error says why it is not.
func (d *doc) written(ctx context.Context) error {
	due := locked(d, func(tx *Tx) int { return tx.saver.changes })
	for tries := 0; ; tries++ {
		saved := make(chan error, 1)
		d.w.saves.Go(func() { saved <- d.save() }) // a slow disk does not hold up a stop
		var err error
		select {
		case err = <-saved:
		case <-ctx.Done():
			return ctx.Err()
		}
		var kept, busy bool
		d.do(func(tx *Tx) { kept, busy = tx.saver.kept >= due, tx.saver.saving })
		switch {
		case kept:
			return nil
		case err != nil:
			return err
		case !busy && tries >= 3: // what was to be written is not in memory any more
			return fault.New(fault.Internal, "%s could not be saved", d.path())
		}
		select { // somebody else is at the file
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
