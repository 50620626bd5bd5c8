package main

import (
	"mutsumi/backend/mcp"
)

// Servers lists the MCP servers that are set up, with their states.
func (a *App) Servers() (result mcp.Listing, err error) {
	defer recovered(&err)
	return a.ws.Servers()
}

// RestartServer ends an MCP server and starts it anew, in the background.
func (a *App) RestartServer(name string) (err error) {
	defer recovered(&err)
	return a.ws.RestartServer(name)
}

// StopServer ends an MCP server; it does not start again by itself.
func (a *App) StopServer(name string) (err error) {
	defer recovered(&err)
	return a.ws.StopServer(name)
}

// ServerLog returns the last lines that an MCP server printed beside its answers.
func (a *App) ServerLog(name string) (result string, err error) {
	defer recovered(&err)
	return a.ws.ServerLog(name)
}
