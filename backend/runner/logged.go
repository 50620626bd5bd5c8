package runner

import (
	"mutsumi/backend/agent"
	"mutsumi/backend/log"
)

// logStarted records that a run began.
func (tx queueTx) logStarted(r *run) {
	tx.runner.with.Log.Info("run started", log.Notebook(tx.Path()), log.Model(r.model), log.Flag("continued", r.continues))
}

// logEnded records how a run ended, and its usage. If the run never began, only a failure is
// recorded.
func (tx queueTx) logEnded(r *run, result agent.Result) {
	fields := []log.Field{log.Notebook(tx.Path()), log.Word("outcome", result.Outcome)}
	if r.startedMs > 0 {
		fields = append(fields, log.Took(nowMs()-r.startedMs), log.Count("requests", result.Steps+result.Retries), log.Count("input", result.Usage.Input),
			log.Count("cached", result.Usage.Cached), log.Count("output", result.Usage.Output))
	}
	switch {
	case result.Fault != nil:
		tx.runner.with.Log.Error("run ended", result.Fault, fields...)
	case r.startedMs > 0:
		tx.runner.with.Log.Info("run ended", fields...)
	}
}

// logWaiting records that a request failed and is sent again.
func (d *doc) logWaiting(u agent.Waiting) {
	if !u.Until.IsZero() {
		d.runner.with.Log.Warn("request failed, trying again", log.Notebook(d.Path()), log.Count("attempt", u.Attempt))
	}
}
