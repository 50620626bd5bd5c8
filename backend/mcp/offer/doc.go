// Package offer turns the tools of MCP servers into tools of agents (SPEC 13.1). It makes their
// names, descriptions that are safe for a model, and results within the limits of our own tools.
// Its callers ask the person first: nothing that a server says of a tool grants anything.
package offer
