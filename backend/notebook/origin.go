package notebook

import (
	"encoding/json"
	"time"
)

// Metadata keys for a notebook's origin.
const (
	keyCopiedFrom = "mutsumi_copied_from" // the file was copied, as it was then
	keyForkedFrom = "mutsumi_forked_from" // it was cut after one of the cells
)

// Origin is the notebook from which another one was made, and where the two diverge. The zero
// Origin belongs to a notebook that was created new.
type Origin struct {
	UUID     string `json:"uuid"`           // of the notebook that it was made from
	Cell     string `json:"cell,omitempty"` // the last cell of both; "": the whole file was copied
	Messages int    `json:"messages"`       // how many messages of that file it began with
	At       string `json:"at,omitempty"`   // when, RFC 3339
	Copied   bool   `json:"-"`              // the file was copied; otherwise it was forked
}

// Lineage reads and changes a notebook's origin and branches, under the lock of its Document.
type Lineage struct{ d *Document }

// Lineage gives the notebook's lineage.
func (d *Document) Lineage() Lineage { return Lineage{d} }

// Origin returns the notebook's origin.
func (l Lineage) Origin() Origin { return l.d.meta.origin() }

// SetOrigin replaces the notebook's origin. It makes no undo step.
func (l Lineage) SetOrigin(o Origin) {
	key, other := keyForkedFrom, keyCopiedFrom
	if o.Copied {
		key, other = other, key
	}
	l.d.setMeta(other, nil)
	l.d.setMeta(key, layout(o, metaDepth+1))
}

// CopyOf gives a notebook whose file was copied when it had that many messages a uuid of its own,
// and records its origin. It makes no undo step; takeBack reverts it as long as nothing else has
// changed.
func (l Lineage) CopyOf(original, uuid string, messages int, at time.Time) (takeBack func()) {
	before := map[string][]byte{}
	for _, key := range []string{"uuid", keyCopiedFrom, keyForkedFrom} {
		before[key] = l.d.meta.get(key)
	}
	l.d.SetUUID(uuid)
	l.SetOrigin(Origin{UUID: original, Messages: messages, At: fileTime(at), Copied: true})
	return func() {
		for key, val := range before {
			l.d.setMeta(key, val)
		}
	}
}

// origin reads the origin from the metadata, which may contain anything.
func (m *metadata) origin() Origin {
	for _, key := range []string{keyForkedFrom, keyCopiedFrom} {
		var o Origin
		if raw := m.get(key); isObject(raw) && json.Unmarshal(raw, &o) == nil && o.UUID != "" {
			o.Copied, o.Messages = key == keyCopiedFrom, max(0, o.Messages)
			if !validID(o.Cell) {
				o.Cell = ""
			}
			return o
		}
	}
	return Origin{}
}
