package catalog

import (
	"encoding/json"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// Move makes an agent a child of the one with the uuid parent, "" for none, as one undo step. Its
// new ancestors then limit what it may touch (SPEC 4.1). Errors: NotFound; Invalid if it would
// descend from itself; Conflict while it works, or the agent that started it works and waits for
// it.
func (c *Calls) Move(path, parent string) error {
	nodes := c.catalog.registry.Agents()
	byUUID := map[string]agenttree.Node{}
	var moved agenttree.Node
	for _, n := range nodes {
		if byUUID[n.UUID] = n; n.File == path {
			moved = n
		}
	}
	if moved.File == "" {
		return fault.New(fault.NotFound, "Could not move it: there is no agent %s any more.", path)
	}
	if parent != "" {
		if _, ok := byUUID[parent]; !ok {
			return fault.New(fault.NotFound, "Could not move %s: the other agent is not there any more.", moved.Name)
		}
		seen := map[string]bool{}
		for at := parent; at != "" && !seen[at]; at = byUUID[at].ParentID {
			if seen[at] = true; at == moved.UUID {
				return fault.New(fault.Invalid, "Could not move %s: the other agent descends from it. Move that one first.", moved.Name)
			}
		}
	}
	if n, ok := byUUID[moved.ParentID]; ok && moved.ParentID != "" && n.Status == agenttree.Running {
		return fault.New(fault.Conflict, "Could not move %s: %s works and may wait for it. Wait until that is done, or stop it.", moved.Name, n.Name)
	}
	raw, err := json.Marshal(parent)
	if err != nil {
		return err
	}
	if parent == "" {
		raw = []byte("null")
	}
	err = c.catalog.registry.With(path, func(tx *documents.Tx, _ *notebook.Document) error {
		if tx.Running() || tx.Work().Waiting() {
			return fault.New(fault.Conflict, "Could not move %s: it works. Wait until it is done, or stop it.", moved.Name)
		}
		return tx.NotElsewhere()
	})
	if err != nil {
		return err
	}
	_, err = c.catalog.registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
		return nb.ChangeMeta("move agent", map[string]json.RawMessage{"parent_agent_id": raw})
	})
	return err
}
