package workspace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// validUUID reports whether a uuid, which a file may say as it likes, can name
// what is kept of an agent: one part of a path, the same in every system.
func validUUID(uuid string) bool {
	if uuid == "" || len(uuid) > 128 || uuid[0] == '.' || uuid[0] == '-' {
		return false
	}
	for _, c := range uuid {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// identity is the uuid of a notebook as far as it is its own: "" for none, an
// odd one, and that of another notebook, whose copy this one is. What is kept
// under a uuid, grants and output alike, is its holder's alone.
func (w *Workspace) identity(path, uuid string) string {
	if !validUUID(uuid) {
		return ""
	}
	w.mu.Lock()
	holder, known := w.holders[uuid]
	w.mu.Unlock()
	if known {
		if holder == path {
			return uuid
		}
		return ""
	}
	// Nobody looked through the folder: what is kept of the uuid says whose it is.
	kept := w.rights.FileOf(uuid)
	if kept == "" || kept == path {
		return uuid
	}
	file, err := w.resolve(kept)
	if err != nil {
		return uuid
	}
	if h, err := notebook.ReadHead(file); err == nil && h.UUID == uuid {
		return ""
	}
	return uuid
}

// identify gives the notebook a uuid of its own where it has none: at its first
// edit or run, never when it is only looked at. Under d.mu.
func (d *doc) identify() {
	if d.w.identity(d.path(), d.nb.UUID()) != "" {
		return
	}
	d.nb.SetUUID(newID())
	d.saver.soon(d)
	d.w.headChanged(d)
}

// own gives the notebook at path a uuid of its own, for what is about to be
// kept under it.
func (w *Workspace) own(path string) error {
	return w.with(path, func(d *doc, _ *notebook.Document) error {
		d.identify()
		return nil
	})
}

// copied is a file that has the uuid of another one.
type copied struct{ path, uuid string }

// claim settles whose uuids are, after notebooks came, went or changed theirs.
// A uuid stays with the notebook that had it; else it is that of the file under
// which the person gave it something, else of the oldest file. Given back are
// notebooks that moved: their file of before, by the new one. Under w.mu.
func (w *Workspace) claim(uuids map[string]bool, kept map[string]string) (moved map[string]settings.Agent) {
	files := map[string][]string{}
	for path, h := range w.heads {
		if uuids[h.UUID] {
			files[h.UUID] = append(files[h.UUID], path)
		}
	}
	all := maps.Clone(files)
	for uuid := range uuids {
		if !validUUID(uuid) {
			continue
		}
		defer func() {
			for _, path := range all[uuid] {
				if path != w.holders[uuid] {
					w.copies[copied{path, uuid}] = true
				} else {
					delete(w.copies, copied{path, uuid})
				}
			}
		}()
		before := w.holders[uuid]
		switch {
		case len(files[uuid]) == 0:
			// It may come again under another name, in a moment: the holder is kept.
			continue
		case slices.Contains(files[uuid], before):
			continue
		}
		// One that was a copy all along is no notebook that moved.
		files[uuid] = slices.DeleteFunc(files[uuid], func(path string) bool { return w.copies[copied{path, uuid}] })
		if len(files[uuid]) == 0 {
			continue
		}
		next := kept[uuid]
		if !slices.Contains(files[uuid], next) {
			next = slices.MinFunc(files[uuid], func(a, b string) int {
				return cmp.Or(cmp.Compare(w.heads[a].ModifiedMs, w.heads[b].ModifiedMs), strings.Compare(a, b))
			})
		}
		w.holders[uuid] = next
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
func (w *Workspace) keptFiles(uuids map[string]bool) map[string]string {
	kept := make(map[string]string, len(uuids))
	for uuid := range uuids {
		if file := w.rights.FileOf(uuid); file != "" {
			kept[uuid] = file
		}
	}
	return kept
}

// claimed carries out what claim found: what was kept of a notebook that moved
// is bound to its new file.
func (w *Workspace) claimed(moved map[string]settings.Agent) {
	for path, before := range moved {
		if err := w.rights.Move(before, path); err != nil {
			continue // then nothing counts for the new file: it is asked about again
		}
	}
}

// headOf gives the head of the notebook that holds a uuid.
func (w *Workspace) headOf(uuid string) (head, bool) {
	w.lookThrough()
	w.mu.Lock()
	defer w.mu.Unlock()
	path, known := w.holders[uuid]
	h, there := w.heads[path]
	return h, known && there && h.UUID == uuid
}

// lookThrough reads the heads of the notebooks of a folder that is not
// followed, once, to find an agent's parents.
func (w *Workspace) lookThrough() {
	if !w.quiet {
		return
	}
	w.lookOnce.Do(func() {
		found := map[string]bool{}
		filepath.WalkDir(w.folder, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // what cannot be read is nobody's parent
			case e.IsDir() && path != w.folder && skipsFolder(e.Name()):
				return filepath.SkipDir
			case !e.IsDir() && isNotebook(filepath.ToSlash(path)):
				found[path] = true
			}
			return nil
		})
		if w.outside != "" { // its family lies beside it
			entries, _ := os.ReadDir(filepath.Dir(w.outside))
			for _, e := range entries {
				if path := filepath.Join(filepath.Dir(w.outside), e.Name()); isNotebook(e.Name()) {
					found[path] = true
				}
			}
		}
		heads, uuids := map[string]head{}, map[string]bool{}
		prices := w.prices()
		for file := range found {
			if h, err := notebook.ReadHead(file); err == nil {
				path := w.PathOf(file)
				heads[path], uuids[h.UUID] = headFrom(path, h, prices), true
			}
		}
		kept := w.keptFiles(uuids)
		w.mu.Lock()
		defer w.mu.Unlock()
		for path, h := range heads {
			if _, there := w.heads[path]; !there {
				w.heads[path] = h
			}
		}
		w.claim(uuids, kept)
		w.tellTree()
	})
}

// nameFor is the name of what is kept outside the state folder for a notebook
// of this folder: two folders may hold the same uuid. uuid is an identity.
func (w *Workspace) nameFor(uuid string) string {
	sum := sha256.Sum256([]byte(real(w.folder)))
	return uuid + "-" + hex.EncodeToString(sum[:4])
}
