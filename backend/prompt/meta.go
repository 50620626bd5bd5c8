package prompt

import (
	"encoding/json"
	"fmt"

	"mutsumi/backend/jsontext"
)

// Metadata keys that Build uses.
const (
	KeyMacros    = "macroContext"
	KeyItems     = "contextItems"
	KeyOff       = "contextOff"
	KeyPlacement = "contextPlacement"
	KeyEffort    = "mutsumi_effort"
	KeySent      = "sent" // in the metadata of a prompt
)

// IsEffort reports whether there is such an effort of reasoning.
func IsEffort(effort string) bool {
	return effort == "minimal" || effort == "low" || effort == "medium" || effort == "high"
}

// ReadEffort returns how much a notebook wants its models to think, from its metadata (nil: none).
// "": the settings of each model apply. An invalid value means that too.
func ReadEffort(raw json.RawMessage) (effort string) {
	if raw == nil || json.Unmarshal(raw, &effort) != nil || !IsEffort(effort) {
		return ""
	}
	return effort
}

// ContextItem is an entry of a notebook's contextItems. An item without a Cell is pinned, or
// written by another program. One with a Cell only remembers what a prompt of that cell last sent.
// Unknown keys survive.
type ContextItem struct {
	Type     string          `json:"type"` // file, tool; others are kept and not used
	Key      string          `json:"key"`  // the reference as it was written; of a tool its name
	Content  string          `json:"content,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"` // of a tool: its arguments
	Cell     string          `json:"cell,omitempty"`
	SHA256   string          `json:"sha256,omitempty"`

	raw json.RawMessage // as it was in the file
}

type plainItem ContextItem

// UnmarshalJSON keeps the text for MarshalJSON.
func (c *ContextItem) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, (*plainItem)(c)); err != nil {
		return err
	}
	c.raw = append(json.RawMessage(nil), b...)
	return nil
}

// MarshalJSON returns an item that came from a file as it was there.
func (c ContextItem) MarshalJSON() ([]byte, error) {
	if c.raw != nil {
		return c.raw, nil
	}
	return json.Marshal(plainItem(c))
}

// readItems reads the context items of a notebook; odd is called with the place of a malformed one,
// which is kept and not used. It omits the content of files: other programs keep it there, it can
// be megabytes, and the file is read again.
func readItems(list json.RawMessage, odd func(at int)) (items []ContextItem, err error) {
	var c ContextItem
	var content []byte
	good := true
	read := func(value []byte, to any) { good = json.Unmarshal(value, to) == nil && good }
	err = jsontext.Objects(list, func(name string, value []byte) {
		switch name {
		case "type":
			read(value, &c.Type)
		case "key":
			read(value, &c.Key)
		case "content":
			content = value
		case "metadata":
			c.Metadata = value
		case "cell":
			read(value, &c.Cell)
		case "sha256":
			read(value, &c.SHA256)
		}
	}, func(text []byte) {
		if content != nil && c.Type != string(KindFile) {
			read(content, &c.Content)
		}
		if !good || text[0] != '{' {
			c = ContextItem{}
			odd(len(items))
		}
		c.raw = text
		items = append(items, c)
		c, content, good = ContextItem{}, nil, true
	})
	return items, err
}

// ReadMeta fills in a notebook's metadata from raw JSON: macroContext, contextItems and contextOff,
// each valid, nil if missing. Malformed values are omitted with a warning: a notebook that somebody
// edited in a text editor still runs.
func (m *Meta) ReadMeta(macros, items, off json.RawMessage) []Warning {
	var warnings []Warning
	bad := func(key, why string) {
		warnings = append(warnings, Warning{Text: fmt.Sprintf("the notebook's %s %s", key, why)})
	}
	var values map[string]any
	if macros != nil && json.Unmarshal(macros, &values) != nil {
		bad("macroContext", "is not an object and was left out")
	}
	m.MacroContext = map[string]string{}
	for name, v := range values {
		if s, ok := v.(string); ok {
			m.MacroContext[name] = s
		} else {
			bad("macroContext", fmt.Sprintf("has no text for %s, which was left out", name))
		}
	}
	m.ContextItems = nil
	if items != nil {
		var err error
		m.ContextItems, err = readItems(items, func(at int) {
			bad("contextItems", fmt.Sprintf("holds something else at place %d, which was kept and not used", at+1))
		})
		if err != nil {
			bad("contextItems", "is not a list and was left out")
		}
	}
	m.ContextOff = nil
	if off != nil && json.Unmarshal(off, &m.ContextOff) != nil {
		bad("contextOff", "is not a list of texts and was left out")
	}
	return warnings
}
