package documents

import (
	"cmp"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/process"
)

// KeyAllowed is where a notebook keeps which places its agent may touch.
const KeyAllowed = "allowed_uris"

// Summary is the tree's entry for a notebook, with the file it was read from.
type Summary struct {
	agenttree.Summary
	size    int64
	tally   *notebook.Tally // nil: not known before the notebook is opened
	Allowed string          // allowed_uris as JSON; "": it has none
	process process.ID      // that runs it, if it is another one
	lastRun process.ID      // that its file names, whether it still runs it or not
	Origin  notebook.Origin // the notebook it was made from
}

// summary returns the tree's entry for a notebook in memory.
func (tx *Tx) summary(known Summary) Summary {
	m := tx.nb.Meta()
	h := known
	h.File, h.UUID, h.Name, h.ParentID = tx.Path(), m.UUID, m.Name, m.ParentID
	h.CreatedAt, h.Finished, h.Kind, h.AnsweredBy = m.CreatedAt, m.Finished, m.AgentType, m.AnsweredBy()
	h.Interrupted, h.EndedMs, h.Elsewhere, h.process = false, 0, "", process.ID{}
	if last := tx.nb.LastRun(); last != nil {
		h.Interrupted, h.EndedMs = last.Outcome == notebook.Interrupted, last.EndedMs()
		if h.Interrupted && known.Elsewhere != "" && known.process.IsSelf() { // it runs under its old name
			h.Interrupted, h.Elsewhere, h.process = false, known.Elsewhere, known.process
		}
		if last.Outcome == notebook.Elsewhere {
			h.Elsewhere, h.process = runningIn(*last.Process()), *last.Process()
		}
	}
	h.Allowed, h.Origin = string(tx.nb.Raw(KeyAllowed)), tx.nb.Lineage().Origin()
	h.tally, h.TimeMs, h.Spent = tx.tally, tx.tally.TimeMs, TreeTotal(tx.total)
	if h.Name == "" {
		h.Name = nameOf(tx.Path())
	}
	return h
}

// summaryChanged updates the tree's entry from a document in memory.
func (tx *Tx) summaryChanged() {
	changed := map[string]bool{tx.nb.UUID(): true}
	before := tx.reg.Summary(tx.Path())
	same := before.UUID == tx.nb.UUID()
	changed[before.UUID] = true
	var kept map[string]string
	if !same {
		kept = tx.reg.keptFiles(changed)
	}
	tx.reg.index(func(ix *index) {
		before = ix.summaries[tx.Path()]
		next := tx.summary(before)
		l, runs := ix.live[tx.Path()], tx.Running()
		if l.Running && runs && tx.doc.work.Counted() || !runs {
			l.Spent = agenttree.Total{} // it is in the head from now on
		}
		if next != before || l != ix.live[tx.Path()] {
			ix.summaries[tx.Path()], ix.live[tx.Path()] = next, l
			if !same {
				ix.assignUUIDs(changed, kept)
			}
			ix.publishTree()
		}
	})
}

// opened takes the totals of a notebook that was opened and had none.
func (tx *Tx) opened() {
	if known := tx.reg.Summary(tx.Path()); known.File != "" && known.tally == nil && known.Problem == "" {
		tx.summaryChanged()
	}
}

// readSummary reads a file; it returns known if the file has not changed since known was read.
func (reg *Registry) readSummary(path string, known Summary, prices cost.Table) (Summary, bool) {
	file, err := reg.Resolve(path)
	if err != nil {
		return Summary{}, false
	}
	if own, _ := reg.mainName(path, file); own != path {
		return Summary{}, false // another name: the tree has the file itself
	}
	info, err := os.Stat(file)
	if err != nil {
		return Summary{}, false
	}
	if known.File != "" && known.ModifiedMs == info.ModTime().UnixMilli() && known.size == info.Size() {
		return known, true
	}
	h, err := notebook.ReadSummary(file)
	if fault.Is(err, fault.NotFound) {
		return Summary{}, false
	}
	made := summaryFrom(path, h, prices)
	made.ModifiedMs, made.size = info.ModTime().UnixMilli(), info.Size()
	if made.Interrupted && h.Process != nil && h.Process.IsSelf() {
		if d := reg.runsAs(path, h.UUID); d != nil {
			made.Interrupted, made.Elsewhere, made.process = false, "running under its old name, "+d.Path(), *h.Process
		}
	}
	if err != nil {
		made.Problem = err.Error()
	}
	if !utf8.ValidString(path) {
		made.Problem = notText
	}
	return made, true
}

// summaryFrom returns the tree's entry for a file.
func summaryFrom(path string, h notebook.Summary, prices cost.Table) Summary {
	made := Summary{Summary: agenttree.Summary{
		File: path, UUID: h.UUID, Name: cmp.Or(h.Name, nameOf(path)), ParentID: h.ParentID, CreatedAt: h.CreatedAt,
		ModifiedMs: h.ModifiedMs, Finished: h.Finished, Failed: h.Failed, EndedMs: h.EndedMs,
		Problem: h.Problem, Prompts: h.Prompts, Interrupted: h.Interrupted, Kind: h.Kind, AnsweredBy: h.AnsweredBy, Spent: TreeTotal(tallyCost(prices, h.Tally)),
	}, tally: h.Tally, Allowed: h.Allowed, Origin: h.Origin}
	if h.Tally != nil {
		made.TimeMs = h.Tally.TimeMs
	}
	if h.Process != nil {
		made.lastRun = *h.Process
	}
	if by := h.Process; h.Interrupted && by != nil && !by.IsSelf() && by.Lives() {
		made.Interrupted, made.Elsewhere, made.process = false, runningIn(*by), *by
	}
	return made
}

// SetFailed records how the last run of a notebook ended.
func (reg *Registry) SetFailed(path string, failed bool) {
	reg.index(func(ix *index) {
		if h := ix.summaries[path]; h.File != "" && h.Failed != failed {
			h.Failed = failed
			ix.summaries[path] = h
			ix.publishTree()
		}
	})
}

// nameOf returns the name of a notebook that does not set one.
func nameOf(p string) string { return strings.TrimSuffix(path.Base(p), ".mtm") }
