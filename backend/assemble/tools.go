package assemble

import (
	"context"
	"encoding/json"
)

// ToolCaller runs the tools that texts name as `@[tool{json}]` (SPEC 3.2).
// It is the tool registry bound to one agent, or a command line without one.
type ToolCaller interface {
	// Reads reports whether there is a tool of this name and whether it only
	// reads. It does not block.
	Reads(name string) (reads, known bool)

	// Call runs a tool with one JSON value as arguments and returns the result for a model. It may
	// first ask a person if the tool changes something, so it may block until ctx ends. An error is
	// the tool's failure; its text replaces the result.
	Call(ctx context.Context, name string, args json.RawMessage) (string, error)
}
