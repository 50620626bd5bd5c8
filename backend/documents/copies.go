package documents

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// A file that was copied has the uuid of the other one. Once both are seen the copy gets
// its own, and nothing else in it changes.

// copyTry is the version of a file for which that is under way, or failed.
type copyTry struct {
	modifiedMs, size int64
	underWay         bool
}

// identifyCopies gives each copy of a notebook a uuid of its own, if that is possible now;
// otherwise the next scan of the folder tries again. It waits for the disk and must not be called
// in a Tx.
func identifyCopies(reg *Registry) {
	if reg.quiet { // the folder is not scanned
		return
	}
	type pair struct{ path, original, uuid string }
	var due []pair
	reg.index(func(ix *index) {
		for c := range ix.copies {
			original, h, try := ix.holders[c.uuid], ix.summaries[c.path], ix.unnamed[c.path]
			same := try.modifiedMs == h.ModifiedMs && try.size == h.size
			if h.UUID == c.uuid && ix.summaries[original].UUID == c.uuid && original != c.path &&
				h.Problem == "" && h.Elsewhere == "" && !ix.live[c.path].Running && !try.underWay && !same {
				due = append(due, pair{c.path, original, c.uuid})
			}
		}
	})
	slices.SortFunc(due, func(a, b pair) int { return strings.Compare(a.path, b.path) })
	for _, p := range due {
		if file, err := reg.Resolve(p.original); err != nil || isGone(file) || !reg.host.MayRenameCopy(settings.Agent{File: p.original, UUID: p.uuid}) {
			continue
		}
		if !indexed(reg, func(ix *index) bool {
			if ix.unnamed[p.path].underWay {
				return false
			}
			ix.unnamed[p.path] = copyTry{underWay: true}
			return true
		}) {
			continue
		}
		err := identifyCopy(reg, p.path, p.uuid)
		reg.index(func(ix *index) {
			if delete(ix.unnamed, p.path); err != nil && !fault.Is(err, fault.Conflict) { // it would fail again
				h := ix.summaries[p.path]
				ix.unnamed[p.path] = copyTry{modifiedMs: h.ModifiedMs, size: h.size}
			}
		})
	}
}

// identifyCopy gives the notebook at path, a copy with the uuid of another one, its own. A Conflict
// means that something else is happening in it right now.
func identifyCopy(reg *Registry, path, uuid string) error {
	d, err := reg.Live(path)
	if err != nil {
		return err
	}
	defer d.Do((*Tx).CloseUnseen)
	var base *notebook.Snapshot
	err = d.holdSaves(func(tx *Tx) error {
		if tx.closed || tx.gone || tx.nb == nil || tx.base == nil || !tx.Idle() || tx.nb.UUID() != uuid {
			return fault.New(fault.Conflict, "Could not give %s a uuid of its own: it is in use.", path)
		}
		base = tx.base
		return nil
	})
	if err != nil {
		return err
	}
	defer d.resumeSaves()
	text, stamp, err := notebook.ReadText(d.File())
	if err != nil {
		return err
	}
	if !bytes.Equal(text, base.Bytes()) {
		// Another program is writing it, or wrote it in a layout that a save would change.
		return fault.New(fault.Invalid, "Could not give %s a uuid of its own: more than that would change.", path)
	}
	nb, err := notebook.Parse(text)
	if err != nil {
		return err
	}
	info, err := os.Lstat(d.File())
	if err != nil {
		return err
	}
	if _, names := fileID(info); names > 1 || !info.Mode().IsRegular() {
		return fault.New(fault.Invalid, "Could not give %s a uuid of its own: the file has several names.", path)
	}
	own, messages, now := newID(), nb.Encoded().Messages(), time.Now()
	nb.Lineage().CopyOf(uuid, own, messages, now)
	saved := nb.Encoded()
	var takeBack func()
	var rev int
	d.Do(func(tx *Tx) {
		if tx.nb.UUID() == uuid { // otherwise an edit in the meantime gave it one
			takeBack = tx.nb.Lineage().CopyOf(uuid, own, messages, now)
			rev = tx.nb.Rev()
			tx.summaryChanged() // from now on data stored for it is its own
		}
	})
	if takeBack == nil {
		return nil
	}
	stamp, err = notebook.Save(d.File(), saved, stamp)
	d.Do(func(tx *Tx) {
		if err != nil {
			if tx.nb.Rev() == rev { // otherwise it is saved together with the edits
				takeBack()
				tx.summaryChanged()
			}
			return
		}
		tx.stamp, tx.base = stamp, saved
		tx.reg.out.Emit(event.CellsSpliced{
			Path: tx.Path(), Rev: tx.nb.Rev(), Cells: []notebook.CellView{}, State: tx.docState(), Meta: tx.nb.Meta(),
		})
		tx.summaryChanged()
	})
	return err
}
