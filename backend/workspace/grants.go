package workspace

import (
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/settings"
)

// endAllOf ends what belongs to an agent whose notebook was deleted: what was
// granted to it, its commands, and what they printed. While another file has
// the same uuid nothing ends.
func (w *Workspace) endAllOf(path, uuid string) {
	if _, err := w.registry.ByUUID(uuid); !access.ValidUUID(uuid) || err == nil {
		return
	}
	// What cannot be forgotten counts for nothing but the same file with the same uuid.
	w.rights.Forget(settings.Agent{File: path, UUID: uuid})
	w.grants.Forget(uuid)
	w.commands.KillAll(uuid)
	w.kept.Forget(uuid)
}

// prepare does in the background what nobody waits for when a folder opens:
// what a crash left half done is settled before anything runs, and what is old goes.
func (w *Workspace) prepare() {
	w.store()
	w.kept.Prune(time.Now())
}
