package runner

import (
	"cmp"
	"time"

	"mutsumi/backend/settings"
)

// longestModelsWait is how long a queue waits for the models of a new provider.
const longestModelsWait = 5 * time.Second

// awaitsModels reports whether the queue waits, for a while, until the models of a new provider are
// known: the offline guide is not to answer in place of one. When they are, it starts the next run.
// A notebook whose model is known does not wait.
func (tx queueTx) awaitsModels() bool {
	with := &tx.runner.with
	if !with.Settings.Asking.Busy() {
		tx.awaited = false
		return false
	}
	if _, e, err := with.Kinds.Resolve(tx.Notebook().Meta()); err == nil && e.ProviderID != settings.BuiltInID {
		return false
	}
	if tx.awaits || tx.awaited {
		return tx.awaits
	}
	tx.awaits = true
	d := tx.doc
	with.Start(func() {
		with.Settings.Asking.Wait(with.Context, cmp.Or(with.Settings.Asking.Longest, longestModelsWait))
		d.do(func(tx *Tx) {
			tx.awaits, tx.awaited = false, true
			tx.runs().startNext()
		})
	})
	return true
}
