package coedit

import (
	"cmp"
	"slices"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/files"
)

// maxWrites is how many files of one call Conflicts looks up.
const maxWrites = 20

// Conflicts lists, latest first, the other agents that wrote a file that a call
// of the agent of the notebook at path is about to write: those that wrote it
// after this agent last read or wrote it (or, if it never did, after its run
// began), and those at work that wrote it in their run.
func (t *Tracker) Conflicts(path string, call approval.Call) []approval.WriteConflict {
	paths := approval.Writes(call)
	if len(paths) == 0 {
		return nil
	}
	s := t.agents.Versions()
	if s == nil {
		return nil
	}
	var found []approval.WriteConflict
	for _, file := range paths[:min(len(paths), maxWrites)] {
		writers, err := s.Writers(file)
		if err != nil {
			continue // the tools themselves still detect that a file changed
		}
		own, others := t.splitWriters(call.Notebook, writers)
		if len(others) == 0 {
			continue
		}
		known := t.knownSince(path, file, own)
		for _, h := range others {
			h.File = t.agents.PathOf(file)
			if (h.AtMs > known || h.Running) && !t.isWaived(waiver{call.Notebook, h.Notebook, h.File}) {
				found = append(found, h)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b approval.WriteConflict) int { return cmp.Compare(b.AtMs, a.AtMs) })
	return found
}

// Unseen reports whether a call has Conflicts that the person did not see: shown are those of the
// request that was decided. A file that an agent wrote again after it was shown is unseen.
func (t *Tracker) Unseen(path string, call approval.Call, shown []approval.WriteConflict) bool {
	return slices.ContainsFunc(t.Conflicts(path, call), func(h approval.WriteConflict) bool {
		return !slices.ContainsFunc(shown, func(s approval.WriteConflict) bool {
			return s.Notebook == h.Notebook && s.File == h.File && s.AtMs >= h.AtMs
		})
	})
}

// splitWriters separates the writers of a file into the agent itself (when it wrote last)
// and the others, one conflict for each. Changes that merely happened while a command of
// the agent ran do not count as its own.
func (t *Tracker) splitWriters(notebook string, writers []checkpoint.Writer) (ownMs int64, others []approval.WriteConflict) {
	last, certain := map[string]int64{}, map[string]bool{}
	for _, x := range writers {
		if x.Uncertain && x.Notebook == notebook {
			continue
		}
		last[x.Notebook] = max(last[x.Notebook], x.WroteMs)
		certain[x.Notebook] = certain[x.Notebook] || !x.Uncertain
	}
	ownMs = last[notebook]
	delete(last, notebook)
	if len(last) == 0 {
		return ownMs, nil
	}
	wanted := map[string]bool{}
	for id := range last {
		wanted[id] = true
	}
	agents := map[string]Agent{}
	for _, a := range t.agents.ByUUID(wanted) {
		agents[a.UUID] = a
	}
	for id, at := range last {
		h := approval.WriteConflict{Notebook: id, AtMs: at, Agent: "an agent that is gone", Uncertain: !certain[id]}
		if a, there := agents[id]; there {
			h.Path, h.Agent = a.Path, a.Name
			h.Running = a.AtWork && (at >= a.StartedMs || a.StartedMs == 0)
		}
		others = append(others, h)
	}
	slices.SortFunc(others, func(a, b approval.WriteConflict) int {
		return cmp.Or(cmp.Compare(b.AtMs, a.AtMs), cmp.Compare(a.Notebook, b.Notebook))
	})
	return ownMs, others
}

// knownSince returns when the agent of a notebook last read or wrote a file; ownMs is
// when it wrote it. If it did neither, it returns when its run began.
func (t *Tracker) knownSince(path, file string, ownMs int64) int64 {
	r, open := t.agents.Reader(path)
	if !open {
		return ownMs
	}
	if at := r.Seen.At(files.Real(file)); at > 0 {
		return max(ownMs, at)
	}
	if r.Notebook != nil { // for reads in earlier sessions
		ownMs = max(ownMs, t.readsIn(r)[files.Real(file)])
	}
	return cmp.Or(ownMs, r.BeganMs)
}

// wroteSince returns the agent that last wrote a file, and when, if that was at sinceMs or later,
// not by the notebook's agent, and nobody changed the file since; otherwise "".
func (t *Tracker) wroteSince(notebook, file string, sinceMs int64) (agent string, atMs int64) {
	s := t.agents.Versions()
	if s == nil {
		return "", 0
	}
	writers, err := s.Writers(file)
	if err != nil {
		return "", 0 // the request is renewed without a name
	}
	writers = slices.DeleteFunc(writers, func(w checkpoint.Writer) bool { return w.Notebook == notebook || w.WroteMs < sinceMs })
	if len(writers) == 0 {
		return "", 0
	}
	last := slices.MaxFunc(writers, func(a, b checkpoint.Writer) int { return cmp.Compare(a.WroteMs, b.WroteMs) })
	// The time alone does not tell who wrote last: a write is recorded only after it happened, perhaps
	// after the request was renewed because of it.
	if asLeft, err := s.AsLeft(file, last.Turn); err != nil || !asLeft {
		return "", 0
	}
	_, others := t.splitWriters(notebook, []checkpoint.Writer{last})
	return others[0].Agent, others[0].AtMs
}
