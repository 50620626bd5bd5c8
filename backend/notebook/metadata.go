package notebook

import (
	"encoding/json"
	"slices"

	"mutsumi/backend/jsontext"
)

// metadata is the notebook's "metadata": its members in the order of the file, all of them kept,
// and the branches that were put aside.
type metadata struct {
	members    []member
	branches   []*branch // replaced as a whole, never changed in place
	branchesAt int       // where branches are in members, -1: not there yet
}

const metaDepth = 1

func (m *metadata) get(name string) []byte {
	for _, x := range slices.Backward(m.members) {
		if x.is(name) {
			return x.val
		}
	}
	return nil
}

// set sets name to val (nil: removes it) and returns the previous value and its place. A new member
// goes to place at, or with -1 to the end, but before the branches, which may be long: a reader of
// a file's summary stops there.
func (m *metadata) set(name string, val []byte, at int) (before []byte, was int) {
	for i, x := range slices.Backward(m.members) {
		if !x.is(name) {
			continue
		}
		if val == nil {
			m.members = slices.Delete(m.members, i, i+1)
			if i < m.branchesAt {
				m.branchesAt--
			}
		} else {
			m.members[i].val = val
		}
		return x.val, i
	}
	if val == nil {
		return nil, -1
	}
	if at < 0 || at > len(m.members) {
		at = len(m.members)
		if m.branchesAt >= 0 {
			at = m.branchesAt
		}
	}
	if at <= m.branchesAt {
		m.branchesAt++
	}
	m.members = slices.Insert(m.members, at, member{jsontext.AppendString(nil, name), val})
	return nil, -1
}

// text returns the members, without branches of ours, as an object.
func (m *metadata) text() []byte {
	w := newObject(metaDepth)
	for _, x := range m.members {
		w.raw(x.key, x.val)
	}
	return w.end()
}

func (m *metadata) string(name string) string { return unquote(m.get(name)) }

func (m *metadata) strings(name string) []string {
	list := []string{}
	elements(m.get(name), func(val []byte) bool {
		if isString(val) {
			list = append(list, unquote(val))
		}
		return true
	})
	return list
}

// Meta returns the metadata for the interface.
func (d *Document) Meta() MetaView {
	v := MetaView{
		UUID:      d.meta.string("uuid"),
		Name:      d.meta.string("name"),
		CreatedAt: d.meta.string("created_at"),
		ParentID:  d.meta.string("parent_agent_id"),
		Allowed:   d.meta.strings("allowed_uris"),
		Model:     d.meta.string("model"),
		Provider:  d.meta.string("provider"),
		AgentType: d.meta.string("agentType"),
	}
	last := lastRun(d.cells.list)
	v.FinishText, v.Finished = last.text, last.finished
	v.Finished = v.Finished || string(d.meta.get("is_task_finished")) == "true"
	return v
}

// ACP is the provider that a notebook names when another agent on this machine answers it (SPEC
// 14.1); its model is then that agent's id.
const ACP = "acp"

// AnsweredBy returns the id of the agent that answers the notebook; "": a model does.
func (v MetaView) AnsweredBy() string {
	if v.Provider == ACP {
		return v.Model
	}
	return ""
}

// UUID is the agent's identity.
func (d *Document) UUID() string { return d.meta.string("uuid") }

// The setters below are for the program itself, not for a person: they are no
// undo steps.

// SetName names the agent.
func (d *Document) SetName(name string) { d.setMeta("name", jsontext.AppendString(nil, name)) }

// SetUUID gives the agent another identity: a copy needs one of its own.
func (d *Document) SetUUID(uuid string) { d.setMeta("uuid", jsontext.AppendString(nil, uuid)) }

// SetModel chooses provider and model; "" leaves the choice to the settings.
func (d *Document) SetModel(provider, model string) {
	d.setMeta("provider", quoteOrNil(provider))
	d.setMeta("model", quoteOrNil(model))
}

// SetKind names the kind of the agent; "" leaves it open.
func (d *Document) SetKind(kind string) { d.setMeta("agentType", quoteOrNil(kind)) }

// SetParent makes the agent a child of the one with that uuid; "" of none.
func (d *Document) SetParent(uuid string) {
	if uuid == "" {
		d.setMeta("parent_agent_id", []byte("null"))
		return
	}
	d.setMeta("parent_agent_id", jsontext.AppendString(nil, uuid))
}

// SetAllowed sets what the agent may touch (SPEC 4.1).
func (d *Document) SetAllowed(uris []string) {
	items := make([][]byte, len(uris))
	for i, u := range uris {
		items[i] = jsontext.AppendString(nil, u)
	}
	d.setMeta("allowed_uris", encodeList(items, metaDepth+1))
}

// SetFinished sets whether the agent's task is finished (SPEC 1.6).
func (d *Document) SetFinished(finished bool) {
	if finished {
		d.setMeta("is_task_finished", []byte("true"))
	} else if d.meta.get("is_task_finished") != nil {
		d.setMeta("is_task_finished", []byte("false"))
	}
}

// MacroContext returns the macros stored in the notebook as JSON, nil if there are none.
func (d *Document) MacroContext() json.RawMessage { return json.RawMessage(d.meta.get("macroContext")) }

// ContextItems returns the context items stored in the notebook as JSON, nil if there are none.
func (d *Document) ContextItems() json.RawMessage { return json.RawMessage(d.meta.get("contextItems")) }

// SetMacroContext keeps macros with the notebook; nil removes them. Text that
// is not JSON is an error of kind Invalid.
func (d *Document) SetMacroContext(raw json.RawMessage) error {
	return d.Keep("macroContext", raw)
}

// SetContextItems keeps context items with the notebook; nil removes them.
// Text that is not JSON is an error of kind Invalid.
func (d *Document) SetContextItems(raw json.RawMessage) error {
	return d.Keep("contextItems", raw)
}
func (d *Document) setMeta(name string, val []byte) {
	if string(d.meta.get(name)) == string(val) && (val == nil) == (d.meta.get(name) == nil) {
		return
	}
	d.meta.set(name, val, -1)
	d.rev++
}

func quoteOrNil(s string) []byte {
	if s == "" {
		return nil
	}
	return jsontext.AppendString(nil, s)
}
