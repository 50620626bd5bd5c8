package catalog

import (
	"mutsumi/backend/access"
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/commands"
	"mutsumi/backend/documents"
	"mutsumi/backend/settings"
)

// AgentData is the program's data about agents outside their notebooks.
type AgentData struct {
	Registry *documents.Registry
	Rights   *settings.Rights // rights that the person gave to agents of the folder
	Grants   *access.Grants
	Kept     *agentfiles.Store
	Commands *commands.Commands
	Drop     func(uuid string) // ends the process of the agent that answers a notebook
}

// EndAllOf removes the data of an agent whose notebook was deleted: its rights and rules, its
// commands with their output, and the process of an agent that answered it. It does nothing while another file has the same uuid.
func (a *AgentData) EndAllOf(path, uuid string) {
	if _, err := a.Registry.ByUUID(uuid); !access.ValidUUID(uuid) || err == nil {
		return
	}
	// Rights that cannot be removed still apply to no other file and uuid.
	a.Rights.Forget(settings.Agent{File: path, UUID: uuid})
	a.Grants.Forget(uuid)
	a.Commands.KillAllOf(uuid)
	a.Drop(uuid)
	a.Kept.Forget(uuid)
}
