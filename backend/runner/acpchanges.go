package runner

import (
	"slices"

	"mutsumi/backend/checkpoint"
	"mutsumi/backend/lock"
)

// acpChanges records, for undo, the files that the calls of an agent change without the program.
// It is safe for concurrent use.
type acpChanges struct {
	turn *checkpoint.Recorder
	// calls holds the ids of the calls that may be changing a file, by its path. Its lock is held
	// while a file is recorded: a call that ends does not close what another one just began.
	calls lock.Guarded[map[string][]string]
}

// begin keeps the state of a file, by its absolute path, that a call is about to change. It does so
// once for each call.
func (a *acpChanges) begin(call, path string) {
	a.calls.Do(func(of *map[string][]string) {
		if slices.Contains((*of)[path], call) {
			return
		}
		if *of == nil {
			*of = map[string][]string{}
		}
		(*of)[path] = append((*of)[path], call)
		a.turn.Before(path) // if it fails, the record notes that the file cannot be restored
	})
}

// end records the state in which a call left its files, so that what others write afterwards is
// not taken for the agent's. A file that another call may be changing waits for that one; what is
// never ended is recorded at the end of the turn.
func (a *acpChanges) end(call string) {
	a.calls.Do(func(of *map[string][]string) {
		for path, calls := range *of {
			i := slices.Index(calls, call)
			if i < 0 {
				continue
			}
			if calls = slices.Delete(calls, i, i+1); len(calls) > 0 {
				(*of)[path] = calls
				continue
			}
			delete(*of, path)
			a.turn.After(path) // if it fails, the end of the turn records it
		}
	})
}
