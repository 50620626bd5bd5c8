// Package offer makes the tools of MCP servers tools of agents (SPEC 13.1): their names, their
// descriptions as a model may read them, and their results under the limits of our own tools.
// Who calls them asks the person before: what a server says of a tool grants nothing.
package offer
