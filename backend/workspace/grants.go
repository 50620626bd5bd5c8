package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/event"
	"mutsumi/backend/settings"
)

// loadGrants takes up what the person granted and denied to agents, from the
// state folder, so that it can be seen and revoked whether their notebooks are
// open or not. A notebook's own file grants nothing.
func (w *Workspace) loadGrants(uuids map[string]bool) {
	for uuid := range uuids {
		path, err := w.byUUID(uuid)
		if uuid == "" || err != nil {
			continue
		}
		w.loadGrantsOf(path, uuid)
	}
}

func (w *Workspace) loadGrantsOf(path, uuid string) {
	if w.identity(path, uuid) == "" {
		return
	}
	before := w.policy.Save(approval.Notebook, uuid)
	// What cannot be read grants nothing.
	w.policy.Load(approval.Notebook, uuid, w.rights.Grants(settings.Agent{File: path, UUID: uuid}))
	if !bytes.Equal(before, w.policy.Save(approval.Notebook, uuid)) {
		w.out.Emit(event.GrantsChanged{Notebook: uuid})
	}
}

// endAllOf ends what belongs to an agent whose notebook was deleted: what was
// granted to it, its commands, and what they printed. While another file has
// the same uuid nothing ends.
func (w *Workspace) endAllOf(path, uuid string) {
	if _, err := w.byUUID(uuid); !validUUID(uuid) || err == nil {
		return
	}
	// What cannot be forgotten counts for nothing but the same file with the same uuid.
	w.rights.Forget(settings.Agent{File: path, UUID: uuid})
	w.forgetRules([]string{uuid})
	w.commands.KillAll(uuid)
	os.RemoveAll(filepath.Join(scratchRoot(), w.nameFor(uuid))) // what stays is pruned when it is old
	w.forgetRequest(uuid)
	if temp := w.tempFolder(uuid); temp != "" {
		os.RemoveAll(temp)
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
	pruneRequests(time.Now())
	if temp, err := tempRoot(); err == nil {
		pruneScratch(temp, time.Now())
	}
}
