package catalog

import (
	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/settings"
)

// AgentData is what the program keeps of agents outside their notebooks.
type AgentData struct {
	Registry *documents.Registry
	Rights   *settings.Rights // what the person gave to agents of the folder
	Grants   *access.Grants
	Kept     *agentfiles.Store
	Commands *commands.Commands
}

// EndAllOf ends what belongs to an agent whose notebook was deleted: what was
// granted to it, its commands, and what they printed. While another file has
// the same uuid nothing ends.
func (a *AgentData) EndAllOf(path, uuid string) {
	if _, err := a.Registry.ByUUID(uuid); !access.ValidUUID(uuid) || err == nil {
		return
	}
	// What cannot be forgotten counts for nothing but the same file with the same uuid.
	a.Rights.Forget(settings.Agent{File: path, UUID: uuid})
	a.Grants.Forget(uuid)
	a.Commands.KillAllOf(uuid)
	a.Kept.Forget(uuid)
}
