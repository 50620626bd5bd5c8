package workspace

import (
	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/documents"
	"mutsumi/backend/settings"
)

// agentData is what the program keeps of agents outside their notebooks.
type agentData struct {
	registry *documents.Registry
	rights   *settings.Rights // what the person gave to agents of the folder
	grants   *access.Grants
	kept     *agentfiles.Store
	commands *commands
}

// endAllOf ends what belongs to an agent whose notebook was deleted: what was
// granted to it, its commands, and what they printed. While another file has
// the same uuid nothing ends.
func (a *agentData) endAllOf(path, uuid string) {
	if _, err := a.registry.ByUUID(uuid); !access.ValidUUID(uuid) || err == nil {
		return
	}
	// What cannot be forgotten counts for nothing but the same file with the same uuid.
	a.rights.Forget(settings.Agent{File: path, UUID: uuid})
	a.grants.Forget(uuid)
	a.commands.tasks.KillAll(uuid)
	a.kept.Forget(uuid)
}
