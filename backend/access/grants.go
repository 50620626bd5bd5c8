package access

import (
	"bytes"

	"mutsumi/backend/approval"
	"mutsumi/backend/lock"
	"mutsumi/backend/settings"
)

// Grants stores the approval rules for single agents in the state folder, so that they
// can be seen and revoked whether or not the notebooks are open. A notebook's own file
// grants nothing.
type Grants struct {
	policy  *approval.Policy
	rights  *settings.Rights
	holder  func(uuid string) (path string, ok bool)
	changed func(uuid string)

	exchanging lock.Mutex // one reading or storing of the rules at a time
}

// NewGrants returns the Grants of a folder. holder finds a notebook by its uuid; changed is called
// after the rules of a notebook change.
func NewGrants(policy *approval.Policy, rights *settings.Rights, holder func(uuid string) (string, bool), changed func(uuid string)) *Grants {
	return &Grants{policy: policy, rights: rights, holder: holder, changed: changed}
}

// Load loads the stored rules of agents into the policy, by their uuids.
func (g *Grants) Load(uuids map[string]bool) {
	for uuid := range uuids {
		if path, there := g.holder(uuid); there {
			g.LoadFor(settings.Agent{File: path, UUID: uuid})
		}
	}
}

// LoadFor loads the stored rules of one agent.
func (g *Grants) LoadFor(a settings.Agent) {
	if !ValidUUID(a.UUID) {
		return
	}
	before := g.policy.Save(approval.Notebook, a.UUID)
	g.take(a)
	if !bytes.Equal(before, g.policy.Save(approval.Notebook, a.UUID)) {
		g.changed(a.UUID)
	}
}

// take reads the stored rules of an agent into the policy.
func (g *Grants) take(a settings.Agent) {
	g.exchanging.Lock()
	defer g.exchanging.Unlock()
	g.merge(a.UUID, g.rights.Grants(a))
}

// merge makes stored rules those of an agent (approval.Policy.Merge). Rules that cannot be read
// grant nothing.
func (g *Grants) merge(uuid string, kept []byte) (merged []byte, stored func()) {
	merged, stored, err := g.policy.Merge(approval.Notebook, uuid, kept)
	if err != nil {
		merged, stored, _ = g.policy.Merge(approval.Notebook, uuid, nil)
	}
	return merged, stored
}

// Keep stores what changed in the rules of an agent, and returns the path of its notebook;
// "": the notebook is gone, and nothing is stored.
func (g *Grants) Keep(uuid string) (path string, err error) {
	path, there := g.holder(uuid)
	if !there {
		return "", nil
	}
	g.exchanging.Lock()
	defer g.exchanging.Unlock()
	return path, g.rights.ChangeGrants(settings.Agent{File: path, UUID: uuid}, func(kept []byte) ([]byte, func()) { return g.merge(uuid, kept) })
}

// Forget removes from the policy the rules of agents whose notebooks no longer exist. The stored
// rules remain, in case a notebook reappears under another name.
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
