package documents

import (
	"cmp"
	"github.com/google/uuid"
	"maps"
	"slices"
	"strings"

	"mutsumi/backend/access"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Identity is the uuid of a notebook as far as it is its own: "" for none, an
// odd one, and that of another notebook, whose copy this one is. What is kept
// under a uuid, grants and output alike, is its holder's alone.
func (reg *Registry) Identity(path, uuid string) string {
	if !access.ValidUUID(uuid) {
		return ""
	}
	if holder := reg.Holder(uuid); holder != "" {
		if holder == path {
			return uuid
		}
		return ""
	}
	// Nobody looked through the folder: what is kept of the uuid says whose it is.
	kept := reg.rights.FileOf(uuid)
	if kept == "" || kept == path {
		return uuid
	}
	file, err := reg.Resolve(kept)
	if err != nil {
		return uuid
	}
	if h, err := notebook.ReadSummary(file); err == nil && h.UUID == uuid {
		return ""
	}
	return uuid
}

// Identify gives the notebook a uuid of its own where it has none: at its first
// edit or run, never when it is only looked at.
func (tx *Tx) Identify() {
	if tx.reg.Identity(tx.Path(), tx.nb.UUID()) != "" {
		return
	}
	tx.nb.SetUUID(newID())
	tx.SaveSoon()
	tx.summaryChanged()
}

// Own gives the notebook at path a uuid of its own, for what is about to be
// kept under it.
func (reg *Registry) Own(path string) error {
	return reg.With(path, func(tx *Tx, _ *notebook.Document) error {
		tx.Identify()
		return nil
	})
}

// uuidCopy is a file that has the uuid of another one.
type uuidCopy struct{ path, uuid string }

// assignUUIDs settles whose uuids are, after notebooks came, went or changed theirs.
// A uuid stays with the notebook that had it; else it is that of the file under
// which the person gave it something, else of the oldest file. Given back are
// notebooks that moved: their file of before, by the new one.
func (ix *index) assignUUIDs(uuids map[string]bool, kept map[string]string) (moved map[string]settings.Agent) {
	files := map[string][]string{}
	for path, h := range ix.summaries {
		if uuids[h.UUID] {
			files[h.UUID] = append(files[h.UUID], path)
		}
	}
	all := maps.Clone(files)
	for uuid := range uuids {
		if !access.ValidUUID(uuid) {
			continue
		}
		defer func() {
			for _, path := range all[uuid] {
				if path != ix.holders[uuid] {
					ix.copies[uuidCopy{path, uuid}] = true
				} else {
					delete(ix.copies, uuidCopy{path, uuid})
				}
			}
		}()
		before := ix.holders[uuid]
		switch {
		case len(files[uuid]) == 0:
			// It may come again under another name, in a moment: the holder is kept.
			continue
		case slices.Contains(files[uuid], before):
			continue
		}
		// One that was a copy all along is no notebook that moved.
		files[uuid] = slices.DeleteFunc(files[uuid], func(path string) bool { return ix.copies[uuidCopy{path, uuid}] })
		if len(files[uuid]) == 0 {
			continue
		}
		next := kept[uuid]
		if !slices.Contains(files[uuid], next) {
			next = slices.MinFunc(files[uuid], func(a, b string) int {
				return cmp.Or(cmp.Compare(ix.summaries[a].ModifiedMs, ix.summaries[b].ModifiedMs), strings.Compare(a, b))
			})
		}
		ix.holders[uuid] = next
		if before != "" {
			if moved == nil {
				moved = map[string]settings.Agent{}
			}
			moved[next] = settings.Agent{File: before, UUID: uuid}
		}
	}
	return moved
}

// keptFiles gives the files under which something is kept for uuids.
func (reg *Registry) keptFiles(uuids map[string]bool) map[string]string {
	kept := make(map[string]string, len(uuids))
	for uuid := range uuids {
		if file := reg.rights.FileOf(uuid); file != "" {
			kept[uuid] = file
		}
	}
	return kept
}

// rebindMoved carries out what claim found: what was kept of a notebook that moved
// is bound to its new file.
func (reg *Registry) rebindMoved(moved map[string]settings.Agent) {
	for path, before := range moved {
		if err := reg.rights.Move(before, path); err != nil {
			continue // then nothing counts for the new file: it is asked about again
		}
	}
}

// SummaryOf gives the head of the notebook that holds a uuid.
func (reg *Registry) SummaryOf(uuid string) (Summary, bool) {
	reg.scanOnce()
	h := reg.Summary(reg.Holder(uuid))
	return h, h.File != "" && h.UUID == uuid
}

// scanOnce reads the heads of the notebooks of a folder that is not
// followed, once, to find an agent's parents.
func (reg *Registry) scanOnce() {
	if !reg.quiet {
		return
	}
	reg.scanned.Do(func() {
		heads, uuids := map[string]Summary{}, map[string]bool{}
		prices := reg.prices()
		for _, file := range reg.notebookFiles() {
			if h, err := notebook.ReadSummary(file); err == nil {
				path := reg.PathOf(file)
				heads[path], uuids[h.UUID] = summaryFrom(path, h, prices), true
			}
		}
		kept := reg.keptFiles(uuids)
		reg.index(func(ix *index) {
			for path, h := range heads {
				if _, there := ix.summaries[path]; !there {
					ix.summaries[path] = h
				}
			}
			ix.assignUUIDs(uuids, kept)
			ix.publishTree()
		})
	})
}

// Agent is what the notebook says of its agent, with a uuid only if it is its
// own.
func (tx *Tx) Agent() notebook.MetaView {
	meta := tx.nb.Meta()
	meta.Allowed = Entries(tx.nb)
	meta.UUID = tx.reg.Identity(tx.Path(), meta.UUID)
	return meta
}

// AgentAt is what the notebook at path says of its agent, see Tx.Agent.
func (reg *Registry) AgentAt(path string) (agent notebook.MetaView, err error) {
	err = reg.With(path, func(tx *Tx, _ *notebook.Document) error {
		agent = tx.Agent()
		return nil
	})
	return agent, err
}

// Holder is what a notebook says of its agent, for package access.
func Holder(path string, agent notebook.MetaView) access.Notebook {
	return access.Notebook{Path: path, UUID: agent.UUID, ParentID: agent.ParentID, Entries: agent.Allowed}
}

// Entries is the list of a notebook of what its agent may touch.
func Entries(nb *notebook.Document) []string { return access.ParseEntries(string(nb.Raw(KeyAllowed))) }

// newID makes a uuid.
func newID() string { return uuid.NewString() }
