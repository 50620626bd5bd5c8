package documents

import (
	"cmp"
	"github.com/google/uuid"
	"maps"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// Identity returns a notebook's uuid, or "" if it has none, an invalid one, or still the uuid of
// the notebook from which it was copied. Data stored under a uuid, such as grants and output,
// belongs to its holder alone.
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
	// The folder was not scanned: the stored data names the uuid's holder.
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
// edit or run, never when it is only read.
func (tx *Tx) Identify() {
	if tx.reg.Identity(tx.Path(), tx.nb.UUID()) != "" {
		return
	}
	if uuid := tx.nb.UUID(); access.ValidUUID(uuid) && tx.base != nil { // another file has it
		tx.nb.Lineage().CopyOf(uuid, newID(), tx.base.Messages(), time.Now())
	} else {
		tx.nb.SetUUID(newID())
	}
	tx.SaveSoon()
	tx.summaryChanged()
}

// Own gives the notebook at path a uuid of its own, before data is stored under it.
func (reg *Registry) Own(path string) error {
	return reg.With(path, func(tx *Tx, _ *notebook.Document) error {
		tx.Identify()
		return nil
	})
}

// uuidCopy is a file with the uuid of another one.
type uuidCopy struct{ path, uuid string }

// assignUUIDs decides which file holds each uuid, after files were added, removed or changed
// theirs. A uuid stays with the file that had it; otherwise it goes to the file with stored rights
// (kept), or else to the oldest file. It returns the notebooks that moved: the old file by the new
// one.
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
		// A file that was a copy all along is not a moved notebook.
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

// keptFiles returns the files for which rights are stored, by uuid.
func (reg *Registry) keptFiles(uuids map[string]bool) map[string]string {
	kept := make(map[string]string, len(uuids))
	for uuid := range uuids {
		if file := reg.rights.FileOf(uuid); file != "" {
			kept[uuid] = file
		}
	}
	return kept
}

// rebindMoved binds the stored data of moved notebooks to their new files.
func (reg *Registry) rebindMoved(moved map[string]settings.Agent) {
	for path, before := range moved {
		if err := reg.rights.Move(before, path); err != nil {
			continue // then nothing applies to the new file, and the person is asked again
		}
	}
}

// SummaryOf returns the summary of the notebook that holds a uuid.
func (reg *Registry) SummaryOf(uuid string) (Summary, bool) {
	reg.scanOnce()
	h := reg.Summary(reg.Holder(uuid))
	return h, h.File != "" && h.UUID == uuid
}

// scanOnce reads the summaries of a folder that is not watched, once, to find an agent's
// parents.
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

// Agent returns the agent's settings in the notebook, with a uuid only if it is the notebook's own.
func (tx *Tx) Agent() notebook.MetaView {
	meta := tx.nb.Meta()
	meta.Allowed = Entries(tx.nb)
	meta.UUID = tx.reg.Identity(tx.Path(), meta.UUID)
	return meta
}

// AgentAt is Tx.Agent for the notebook at path.
func (reg *Registry) AgentAt(path string) (agent notebook.MetaView, err error) {
	err = reg.With(path, func(tx *Tx, _ *notebook.Document) error {
		agent = tx.Agent()
		return nil
	})
	return agent, err
}

// Holder converts the agent's settings in a notebook for package access.
func Holder(path string, agent notebook.MetaView) access.Notebook {
	return access.Notebook{Path: path, UUID: agent.UUID, ParentID: agent.ParentID, Entries: agent.Allowed}
}

// Entries returns a notebook's list of what its agent may touch.
func Entries(nb *notebook.Document) []string { return access.ParseEntries(string(nb.Raw(KeyAllowed))) }

// newID makes a uuid.
func newID() string { return uuid.NewString() }
