package workspace

import (
	"context"
	"encoding/json"
	"slices"

	"mutsumi/backend/notebook"
	"mutsumi/backend/tool/builtin"
)

// keyForks is where a notebook keeps which agents its agent started, so that
// it can wait for them again after a restart (SPEC 9). It is no undo step:
// taking an answer back starts nobody twice.
const keyForks = "mutsumi_forks"

// fork is a call of self_fork with the children that it started, as it stands
// in the parent's notebook.
type fork struct {
	Cell     string  `json:"cell"`
	Call     string  `json:"call"`  // the model's id for it
	Index    int     `json:"index"` // of the message that holds the call, in the answer
	RunMs    int64   `json:"run"`   // when the run began that holds it: a later run of the cell is another one
	Children []child `json:"children"`
}

// child names an agent that was started. Name and file are those it had then.
type child struct {
	UUID string `json:"uuid"`
	Name string `json:"name"`
	File string `json:"file"`
}

// forksOf lists the forks of a notebook, oldest first. What is not ours to
// read counts as none.
func forksOf(nb *notebook.Document) (all []fork) {
	if raw := nb.Raw(keyForks); raw == nil || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for i := range all {
		all[i].Children = all[i].Children[:min(len(all[i].Children), builtin.MostChildren)]
	}
	return all
}

// same reports whether another one is of the same call.
func (f fork) same(o fork) bool {
	return o.Cell == f.Cell && o.Call == f.Call && o.Index == f.Index && o.RunMs == f.RunMs
}

// keepFork writes a fork into the notebook, and that to the disk.
func (d *doc) keepFork(ctx context.Context, f fork) error {
	err := locked(d, func(tx *Tx) error {
		all := append(slices.DeleteFunc(forksOf(tx.Notebook()), f.same), f)
		return tx.children().keepForks(all[max(0, len(all)-mostForks):])
	})
	if err != nil {
		return err
	}
	if err := d.Written(ctx); err != nil {
		return err
	}
	d.do(func(tx *Tx) { tx.children().tellFork(f) })
	return nil
}

// keepForks replaces the forks of the notebook.
func (tx childrenTx) keepForks(all []fork) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	tx.SaveSoon()
	return tx.Notebook().Keep(keyForks, raw)
}

// carryForks hands the forks of an answer to the run that goes on with it.
func (tx childrenTx) carryForks(r *run) error {
	before, err := tx.Notebook().RunInfo(r.cell)
	if err != nil || before == nil {
		return err
	}
	all, changed := forksOf(tx.Notebook()), false
	for i := range all {
		if all[i].Cell == r.cell && all[i].RunMs == before.StartedAtMs {
			all[i].RunMs, changed = r.startedMs, true
		}
	}
	if !changed {
		return nil
	}
	return tx.keepForks(all)
}
