package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/toolname"
)

// Pins stores, by server, the definitions of tools as they were when the person first allowed them
// (SPEC 13.2); settings.Pins implements it. If Of fails, nothing is allowed.
type Pins interface {
	Of(server string) ([]byte, error)
	Change(server string, become func(kept []byte) ([]byte, error)) error
}

// definition is a server's definition of a tool, as a model gets it.
type definition struct {
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// pin is the definition of an allowed tool.
type pin struct {
	Hash       string     `json:"hash"`
	Definition definition `json:"definition"`
	Later      *pin       `json:"later,omitempty"` // the server's latest definition, if it differs
}

// maxPins is how many tools of one server can be allowed.
const maxPins = 2000

func pinOf(t client.Tool) pin {
	p := pin{Definition: definition{t.Title, t.Description, t.Schema, t.Annotations}}
	raw, err := jsontext.Marshal(struct {
		Name string `json:"name"`
		definition
	}{t.Name, p.Definition})
	if err != nil { // the schema is not valid JSON
		raw = slices.Concat([]byte(t.Name), []byte{0}, []byte(t.Title), []byte{0}, []byte(t.Description), []byte{0}, t.Schema, []byte{0}, t.Annotations)
	}
	sum := sha256.Sum256(raw)
	p.Hash = hex.EncodeToString(sum[:])
	return p
}

// Revision identifies the definition of a tool: another description, schema or hint makes another
// revision.
func Revision(t client.Tool) string { return pinOf(t).Hash[:16] }

// pinned returns the pins of the server's tools, by tool name.
func (v *server) pinned() (map[string]pin, error) {
	if v.of.with.Pins == nil {
		return nil, nil
	}
	raw, err := v.of.with.Pins.Of(v.set.Name)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !bytes.Equal(raw, v.pinsRaw) {
		pins, err := readPins(raw)
		if err != nil {
			return nil, err
		}
		v.pins, v.pinsRaw = pins, raw
	}
	return v.pins, nil
}

func readPins(raw []byte) (pins map[string]pin, err error) {
	if len(raw) > 0 {
		if err = json.Unmarshal(raw, &pins); err != nil {
			return nil, fault.New(fault.Denied, "Could not read which tools of this MCP server were allowed: %w", err)
		}
	}
	return pins, nil
}

// changePins changes the pins of the server's tools, for every process.
func (v *server) changePins(f func(pins map[string]pin) error) error {
	return v.of.with.Pins.Change(v.set.Name, func(kept []byte) ([]byte, error) {
		pins, err := readPins(kept)
		if err != nil {
			return nil, err
		}
		if pins == nil {
			pins = map[string]pin{}
		}
		if err := f(pins); err != nil {
			return nil, err
		}
		return jsontext.Marshal(pins)
	})
}

// keep pins a tool that was allowed for the first time, and returns the pin that counts: another
// process may have been first.
func (v *server) keep(tool string, first pin) (counts pin, err error) {
	err = v.changePins(func(pins map[string]pin) error {
		have, is := pins[tool]
		if is {
			first = have
		} else if len(pins) >= maxPins {
			return fault.New(fault.Denied, "more than %d tools of the MCP server %s were allowed: no other can be", maxPins, v.set.Name)
		}
		pins[tool] = first
		return nil
	})
	return first, err
}

// allows checks that a tool is as it was when it was first allowed; the first time, it pins the
// tool. offered is the definition that the agent knows; nil: the server's current one.
func (v *server) allows(ctx context.Context, tool string, offered *client.Tool) error {
	if v.of.with.Pins == nil {
		return nil
	}
	listed, err := v.list(ctx, true)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(listed, func(t client.Tool) bool { return t.Name == tool })
	if i < 0 {
		return fault.New(fault.Denied, "the MCP server %s lists no tool %s now", v.set.Name, tool)
	}
	pins, err := v.pinned()
	if err != nil {
		return err
	}
	now := pinOf(listed[i])
	have, is := pins[tool]
	if !is {
		first := now
		if offered != nil {
			first = pinOf(*offered)
		}
		if have, err = v.keep(tool, first); err != nil {
			return err
		}
	}
	if have.Hash != now.Hash {
		v.noteLater(listed)
		v.changed(true)
		return fault.New(fault.Denied, "the MCP server %s changed what it says of its tool %s since the person allowed it: it can be called again once the person has accepted the change, in the settings under MCP servers", v.set.Name, tool)
	}
	return nil
}

// noteLater stores the current definitions of tools that were allowed with other ones, so that they
// can be shown while the server does not run.
func (v *server) noteLater(listed []client.Tool) {
	pins, err := v.pinned()
	if err != nil || len(pins) == 0 {
		return
	}
	news := map[string]*pin{}
	for _, t := range listed {
		have, is := pins[t.Name]
		if !is || t.Problem != "" {
			continue
		}
		now := pinOf(t)
		switch {
		case now.Hash == have.Hash && have.Later != nil:
			news[t.Name] = nil
		case now.Hash != have.Hash && (have.Later == nil || have.Later.Hash != now.Hash):
			news[t.Name] = &now
		}
	}
	if len(news) == 0 {
		return
	}
	// Only for display: the server's own words decide what may be called.
	var held []string
	err = v.changePins(func(pins map[string]pin) error {
		held = nil
		for tool, later := range news {
			have, is := pins[tool]
			if !is || isLater(have, later) { // a simultaneous call may have stored it
				continue
			}
			if later != nil {
				held = append(held, tool)
			}
			have.Later = later
			pins[tool] = have
		}
		return nil
	})
	if err == nil && len(held) > 0 && v.of.with.Held != nil {
		slices.Sort(held)
		v.of.with.Held(v.set.Name, held)
	}
}

// isLater reports whether now is what is stored as the changed definition of a tool; nil means none.
func isLater(have pin, now *pin) bool {
	if have.Later == nil || now == nil {
		return have.Later == nil && now == nil
	}
	return have.Later.Hash == now.Hash
}

// changes returns the tools that changed since they were allowed, with both definitions.
func (v *server) changes() (map[string]pin, error) {
	pins, err := v.pinned()
	if err != nil || len(pins) == 0 {
		return nil, err
	}
	v.mu.Lock()
	listed := v.listed
	v.mu.Unlock()
	all := map[string]pin{}
	if listed == nil { // it was not started: its latest known definition counts
		for tool, have := range pins {
			if have.Later != nil {
				all[tool] = have
			}
		}
		return all, nil
	}
	for _, t := range listed {
		have, is := pins[t.Name]
		if !is || t.Problem != "" {
			continue
		}
		if now := pinOf(t); now.Hash != have.Hash {
			have.Later = &now
			all[t.Name] = have
		}
	}
	return all, nil
}

// ToolChange is how a tool differs from what the person allowed, as two texts. Both are hostile.
type ToolChange struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash"` // of the current definition, for AcceptTool
	Before string `json:"before"`
	After  string `json:"after"`
}

// ToolChange returns how a tool differs from what the person allowed.
func (s *Servers) ToolChange(server, tool string) (ToolChange, error) {
	have, err := s.find(server)
	if err != nil {
		return ToolChange{}, err
	}
	all, err := have.changes()
	if err != nil {
		return ToolChange{}, err
	}
	p, is := all[tool]
	if !is {
		return ToolChange{}, fault.New(fault.NotFound, "the tool %s of %s is as it was when you allowed it", tool, server)
	}
	return ToolChange{server, tool, p.Later.Hash, p.Definition.text(), p.Later.Definition.text()}, nil
}

// AcceptTool lets agents use a tool as it is now. hash names the version that the person saw: if
// the tool changed again since then, it is not accepted.
func (s *Servers) AcceptTool(server, tool, hash string) error {
	have, err := s.find(server)
	if err != nil {
		return err
	}
	all, err := have.changes()
	if err != nil {
		return err
	}
	seen, is := all[tool]
	if !is || seen.Later.Hash != hash {
		return fault.New(fault.Conflict, "the tool %s of %s changed once more: look at it again", tool, server)
	}
	err = have.changePins(func(pins map[string]pin) error {
		pins[tool] = pin{Hash: seen.Later.Hash, Definition: seen.Later.Definition}
		return nil
	})
	have.changed(true)
	return err
}

// PinGranted pins the tool with the name that agents use, if its server was started: call it when a
// rule that allows the tool was made.
func (s *Servers) PinGranted(name string) error {
	if s.with.Pins == nil || !toolname.FromServer(name) {
		return nil
	}
	all, err := s.refresh()
	for _, have := range all {
		for _, t := range have.known() {
			if toolname.Of(have.set.Name, t.Name) == name && t.Problem == "" {
				_, err := have.keep(t.Name, pinOf(t))
				return err
			}
		}
	}
	return err
}

// text shows a definition to people, line by line.
func (d definition) text() string {
	var out strings.Builder
	part := func(head, body string) {
		if body = strings.TrimRight(body, "\n"); body != "" {
			out.WriteString(head + ":\n" + body + "\n")
		}
	}
	part("Title", d.Title)
	part("Description", d.Description)
	part("Arguments", indented(d.Schema))
	part("Hints", indented(d.Annotations))
	return out.String()
}

func indented(raw json.RawMessage) string {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return string(raw)
	}
	out, err := jsontext.Indented(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}
