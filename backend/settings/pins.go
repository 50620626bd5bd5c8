package settings

import (
	"encoding/json"
	"maps"

	"mutsumi/backend/fault"
)

// Pins are the definitions of MCP servers' tools as they were when the person first allowed
// them (SPEC 13.2), in one folder, by server. They are in the state folder, bound to the
// folder: nothing in it adds to them. Package mcp knows their form.
type Pins struct{ in *folderFile[savedPins] }

type savedPins struct {
	Folder  string                     `json:"folder"`
	Servers map[string]json.RawMessage `json:"servers"`
}

func (s savedPins) belongsTo() string { return s.Folder }

// Pins returns the pins of a folder.
func (s *Store) Pins(folder string) *Pins {
	return &Pins{&folderFile[savedPins]{store: s, kind: "pins", folder: realPath(folder)}}
}

// Of returns what is stored for a server; nil: nothing. Unreadable data is an error, so that a
// damaged file allows nothing.
func (p *Pins) Of(server string) ([]byte, error) {
	kept, err := p.in.read()
	if err != nil {
		return nil, p.unreadable(err)
	}
	return kept.Servers[server], nil
}

// Change replaces what is stored for a server with the result of become.
func (p *Pins) Change(server string, become func(kept []byte) ([]byte, error)) error {
	return p.in.change(func(kept savedPins, damage error) (savedPins, error) {
		if damage != nil {
			return kept, p.unreadable(damage)
		}
		is, err := become(kept.Servers[server])
		if err != nil {
			return kept, err
		}
		servers := maps.Clone(kept.Servers)
		if servers == nil {
			servers = map[string]json.RawMessage{}
		}
		servers[server] = is
		return savedPins{p.in.folder, servers}, nil
	})
}

func (p *Pins) unreadable(err error) error {
	return fault.New(fault.Denied, "Could not read which tools of MCP servers were allowed as they are: %w. Mend or delete this file: then each tool is taken as it is when it is next allowed", err)
}
