package offer

import (
	"bytes"
	"encoding/json"
	"fmt"

	"mutsumi/backend/clip"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/lock"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/toolname"
)

// maxDescription is how much of a server's description of a tool a model reads, in bytes.
const maxDescription = 4 << 10

// definition is a tool of a server as models read it.
type definition struct {
	of       client.Tool
	server   string
	name     string // agents call it by this name
	about    string
	schema   json.RawMessage
	revision string // identifies the server's definition
}

func define(server string, t client.Tool) *definition {
	d := &definition{of: t, server: server, name: toolname.Of(server, t.Name), schema: schemaOf(t.Schema), revision: mcp.Revision(t)}
	d.about = fmt.Sprintf("The tool %s of the MCP server %s.", short(t.Name), short(server))
	if text := clip.Visible(t.Description); text != "" {
		d.about += " The server says of it:\n\n" + clip.Text(text, maxDescription)
	}
	return d
}

// Described returns the definition of a server's tool as models read it.
func Described(server string, t client.Tool) (name, about string, schema json.RawMessage) {
	d := define(server, t)
	return d.name, d.about, d.schema
}

// definitions caches definitions: making hundreds of them for each request would take longer than
// the rest of it. The zero value is ready to use.
type definitions struct {
	mu   lock.Mutex
	made map[string]*definition // by server and name
}

// maxDefinitions is the largest number of cached definitions.
const maxDefinitions = 20_000

func (ds *definitions) of(server string, t client.Tool) *definition {
	key := server + "\x00" + t.Name
	ds.mu.Lock()
	have := ds.made[key]
	ds.mu.Unlock()
	if have != nil && same(have.of, t) {
		return have
	}
	d := define(server, t)
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.made == nil || len(ds.made) >= maxDefinitions {
		ds.made = map[string]*definition{}
	}
	ds.made[key] = d
	return d
}

// same reports whether two definitions of a tool are equal.
func same(a, b client.Tool) bool {
	return a.Name == b.Name && a.Title == b.Title && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema) && bytes.Equal(a.Annotations, b.Annotations)
}

// schemaOf turns a server's schema into one that all providers accept, with nothing hidden in it.
func schemaOf(raw json.RawMessage) json.RawMessage {
	var schema map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&schema) != nil || schema == nil {
		schema = map[string]any{}
	}
	delete(schema, "$schema")
	schema["type"] = "object"
	if _, is := schema["properties"].(map[string]any); !is {
		schema["properties"] = map[string]any{}
	}
	out, err := jsontext.Marshal(shown(schema))
	if err != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out
}

// shown makes hidden characters in a schema's texts visible. Names of properties stay: they are sent back.
func shown(v any) any {
	switch v := v.(type) {
	case string:
		return clip.Visible(v)
	case []any:
		for i := range v {
			v[i] = shown(v[i])
		}
	case map[string]any:
		for k := range v {
			if k != "enum" && k != "const" && k != "default" { // values that are sent back
				v[k] = shown(v[k])
			}
		}
	}
	return v
}
