package notebook

import (
	"encoding/json"
	"time"
)

// Keys of the metadata that say which notebook one was made from.
const (
	keyCopiedFrom = "mutsumi_copied_from" // the file was copied, as it was then
	keyForkedFrom = "mutsumi_forked_from" // it was cut after one of the cells
)

// Origin says which notebook another one was made from, and where the two part. The
// zero Origin is that of a notebook that was made new.
type Origin struct {
	UUID     string `json:"uuid"`           // of the notebook that it was made from
	Cell     string `json:"cell,omitempty"` // the last cell of both; "": the whole file was copied
	Messages int    `json:"messages"`       // how many messages of the file it began with
	At       string `json:"at,omitempty"`   // when, RFC 3339
	Copied   bool   `json:"-"`              // the file was copied; else it was forked
}

// Lineage reads and changes where a notebook comes from and what was put aside in it,
// under the lock of its Document.
type Lineage struct{ d *Document }

// Lineage gives the notebook's lineage.
func (d *Document) Lineage() Lineage { return Lineage{d} }

// Origin returns what the notebook was made from.
func (l Lineage) Origin() Origin { return l.d.meta.origin() }

// SetOrigin records what the notebook was made from, in place of what it says so far.
// It is no undo step.
func (l Lineage) SetOrigin(o Origin) {
	key, other := keyForkedFrom, keyCopiedFrom
	if o.Copied {
		key, other = other, key
	}
	l.d.setMeta(other, nil)
	l.d.setMeta(key, layout(o, metaDepth+1))
}

// CopyOf gives the notebook, whose file was copied when it had so many messages, a uuid
// of its own, and records where it comes from. It is no undo step; takeBack takes it
// back as long as nothing else changed.
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

// origin reads what the metadata say; a file may say anything.
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
