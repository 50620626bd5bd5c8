package documents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/notebook"
	"mutsumi/backend/unsaved"
)

// recovery is the copy of a notebook's text while its own file cannot be written (SPEC 1.4): a file
// next to it or, if that fails too, one in the state folder. The zero value means no copy.
type recovery struct {
	file    string // absolute; "": none
	stamp   notebook.Stamp
	text    unsaved.Text // set: it is in the state folder
	changes int          // of the saver that it holds
}

// writeRecovery writes the text to the recovery file, or to a new one if there is none or another
// program changed it. It is called during a save, without the lock.
func (d *Live) writeRecovery(r recovery, s *notebook.Snapshot) (recovery, error) {
	if r.file != "" && r.text.ID == "" {
		if stamp, err := notebook.Save(r.file, s, r.stamp); err == nil {
			r.stamp = stamp
			return r, nil
		}
	}
	if r.text.ID == "" || !isGone(filepath.Dir(d.File())) {
		file, stamp, err := notebook.SaveAside(d.File(), "not saved", time.Now(), s)
		if err == nil {
			d.reg.hide(file, true)
			d.removeRecovery(r)
			return recovery{file: file, stamp: stamp}, nil
		}
	}
	store := d.reg.texts
	text, err := store.Put(d.File(), s, r.text)
	if err != nil {
		return r, err
	}
	if r.text.ID == "" {
		d.removeRecovery(r)
	}
	return recovery{file: store.File(text), text: text}, nil
}

// removeRecovery deletes the recovery file unless somebody else changed it. A file that
// stays is shown in the tree.
func (d *Live) removeRecovery(r recovery) recovery {
	switch {
	case r.file == "":
		return r
	case r.text.ID != "":
		_ = d.reg.texts.Drop(r.text) // then it is offered again
	default:
		if changed, err := notebook.Changed(r.file, r.stamp); err == nil && !changed {
			_ = os.Remove(r.file)
		}
		d.reg.hide(r.file, false)
	}
	return recovery{}
}

// hide keeps a recovery file out of the tree while its notebook is open:
// it is no agent of its own.
func (reg *Registry) hide(file string, hidden bool) {
	path := reg.PathOf(file)
	reg.index(func(ix *index) {
		if hidden {
			ix.hidden[path] = true
		} else {
			delete(ix.hidden, path)
		}
	})
	reg.FilesChanged(map[string]bool{path: true})
}

// UnsavedView is a text that could not be saved when the program ended.
type UnsavedView struct {
	Notebook string `json:"notebook"` // relative to the folder
	File     string `json:"file"`     // the file with the text: relative to the folder, or absolute if outside
	AtMs     int64  `json:"atMs"`
}

// RestoreUnsaved writes the texts that could not be saved last time next to their notebooks, and
// lists them for the person.
func (reg *Registry) RestoreUnsaved() []UnsavedView {
	views := []UnsavedView{}
	texts, err := reg.texts.In(reg.root)
	if err != nil {
		return views // they stay, and are looked for with the next start
	}
	for _, t := range texts {
		v := UnsavedView{Notebook: reg.PathOf(t.Of), File: reg.texts.File(t), AtMs: t.AtMs}
		if file, err := writeUnsaved(reg.texts, t); err == nil {
			v.File = reg.PathOf(file)
		}
		views = append(views, v)
	}
	return views
}

func writeUnsaved(store unsaved.Store, t unsaved.Text) (string, error) {
	f, _, err := notebook.OpenRegular(store.File(t))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := os.MkdirAll(filepath.Dir(t.Of), 0o755); err != nil {
		return "", err
	}
	file, _, err := notebook.SaveAside(t.Of, "not saved", time.UnixMilli(t.AtMs), f)
	if err != nil {
		return "", err
	}
	_ = store.Drop(t) // otherwise it is restored again: better twice than never
	return file, nil
}

func isGone(file string) bool {
	_, err := os.Stat(file)
	return errors.Is(err, fs.ErrNotExist)
}
