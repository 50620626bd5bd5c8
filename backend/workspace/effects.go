package workspace

import (
	"context"
	"encoding/json"

	"mutsumi/backend/agent"
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
	return d.Written(ctx)
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
	tx.SaveSoon()
	return tx.Notebook().KeepPromptMeta(cell, keyStarted, raw)
}

// started reads which call of a cell's answer was started last; the zero value
// when none was.
func (tx queueTx) started(cell string) (call startedCall) {
	raw, err := tx.Notebook().PromptMeta(cell, keyStarted)
	if err != nil || raw == nil || json.Unmarshal(raw, &call) != nil {
		return startedCall{}
	}
	return call
}
