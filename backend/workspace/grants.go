package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
)

// takeRules learns from the head of a notebook that is not open what was
// granted and denied to its agent, so that it can be seen and revoked. An open
// notebook knows better.
func (w *Workspace) takeRules(path string, h notebook.Head) {
	w.mu.Lock()
	isOpen, known := w.docs[path] != nil, w.heads[path].UUID
	w.mu.Unlock()
	before := w.policy.Save(approval.Notebook, h.UUID)
	switch {
	case h.UUID == "" || isOpen:
		return
	case len(h.Approvals) == 0 && (before == nil || known != h.UUID):
		return // a copy without rules takes nothing from the one that has them
	}
	// What cannot be read, or was not sealed here, grants nothing.
	w.policy.Load(approval.Notebook, h.UUID, h.Approvals)
	if !bytes.Equal(before, w.policy.Save(approval.Notebook, h.UUID)) {
		w.out.Emit(event.GrantsChanged{Notebook: h.UUID})
	}
}

// endAllOf ends what belongs to an agent whose notebook was deleted: what was
// granted to it, its commands, and what they printed. While another file has
// the same uuid nothing ends.
func (w *Workspace) endAllOf(uuid string) {
	if _, err := w.byUUID(uuid); uuid == "" || err == nil {
		return
	}
	w.forgetRules([]string{uuid})
	w.commands.KillAll(uuid)
	if name := folderName(uuid); name != "" {
		os.RemoveAll(filepath.Join(scratchRoot(), name)) // what stays is pruned when it is old
		os.RemoveAll(filepath.Join(os.TempDir(), "mutsumi-"+name))
	}
}

// forgetRules drops what was granted and denied to agents whose notebooks are
// not there any more. A notebook that comes again, under another name, brings
// what it keeps.
func (w *Workspace) forgetRules(uuids []string) {
	for _, uuid := range uuids {
		if _, err := w.byUUID(uuid); uuid == "" || err == nil {
			continue
		}
		before := len(w.policy.Rules())
		w.policy.Forget(uuid)
		if len(w.policy.Rules()) != before {
			w.out.Emit(event.GrantsChanged{Notebook: uuid})
		}
	}
}

// folderName makes a name of a folder of a notebook's uuid, which a file may
// say as it likes; "" when none can be made.
func folderName(uuid string) string {
	name := filepath.Base(filepath.Clean("/" + uuid))
	if name == string(filepath.Separator) || name == "." {
		return ""
	}
	return name
}

// scratchRoot is where the output of all notebooks lies that was too long for a model.
func scratchRoot() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "mutsumi", "output")
}

// scratchAge is how long such output is kept after the last run.
const scratchAge = 14 * 24 * time.Hour

// pruneScratch removes output that nobody has used for long, of notebooks of
// all folders: nothing else knows when one of them is gone.
func pruneScratch(root string, now time.Time) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return // there is none
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && now.Sub(info.ModTime()) > scratchAge {
			os.RemoveAll(filepath.Join(root, e.Name())) // what cannot be removed stays until the next start
		}
	}
}

// prepare does in the background what nobody waits for when a folder opens:
// what a crash left half done is settled before anything runs, and what is old goes.
func (w *Workspace) prepare() {
	w.store()
	pruneScratch(scratchRoot(), time.Now())
}
