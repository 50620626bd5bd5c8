package access

import (
	"bytes"

	"mutsumi/backend/approval"
	"mutsumi/backend/settings"
)

// Grants keeps what the person granted and denied to single agents in the state
// folder, so that it can be seen and revoked whether their notebooks are open
// or not. A notebook's own file grants nothing.
type Grants struct {
	policy  *approval.Policy
	rights  *settings.Rights
	holder  func(uuid string) (path string, ok bool)
	changed func(uuid string)
}

// NewGrants makes the grants of a folder. holder gives the notebook that has a
// uuid; changed is called when the rules of one changed.
func NewGrants(policy *approval.Policy, rights *settings.Rights, holder func(uuid string) (string, bool), changed func(uuid string)) *Grants {
	return &Grants{policy: policy, rights: rights, holder: holder, changed: changed}
}

// Load takes up what is kept for agents, by their uuids.
func (g *Grants) Load(uuids map[string]bool) {
	for uuid := range uuids {
		if path, there := g.holder(uuid); there {
			g.LoadFor(settings.Agent{File: path, UUID: uuid})
		}
	}
}

// LoadFor takes up what is kept for an agent, whose uuid is its own.
func (g *Grants) LoadFor(a settings.Agent) {
	if !ValidUUID(a.UUID) {
		return
	}
	before := g.policy.Save(approval.Notebook, a.UUID)
	// What cannot be read grants nothing.
	g.policy.Load(approval.Notebook, a.UUID, g.rights.Grants(a))
	if !bytes.Equal(before, g.policy.Save(approval.Notebook, a.UUID)) {
		g.changed(a.UUID)
	}
}

// Keep saves the rules for an agent after they changed, and returns the path of
// its notebook. For one whose notebook is gone nothing is kept.
func (g *Grants) Keep(uuid string) (path string, err error) {
	path, there := g.holder(uuid)
	if !there {
		return "", nil
	}
	return path, g.rights.KeepGrants(settings.Agent{File: path, UUID: uuid}, g.policy.Save(approval.Notebook, uuid))
}

// Forget drops what was granted and denied to agents whose notebooks are not
// there any more. A notebook that comes again, under another name, brings what
// is kept for it.
func (g *Grants) Forget(uuids ...string) {
	for _, uuid := range uuids {
		if _, there := g.holder(uuid); uuid == "" || there {
			continue
		}
		before := len(g.policy.Rules())
		g.policy.Forget(uuid)
		if len(g.policy.Rules()) != before {
			g.changed(uuid)
		}
	}
}
