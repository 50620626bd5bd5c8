package main

import (
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/imports"
)

// Servers lists the configured MCP servers, with their states.
func (a *App) Servers() (result mcp.Listing, err error) {
	defer recovered(&err)
	return a.ws.Servers()
}

// FoundServers lists the MCP servers that other programs have set up.
func (a *App) FoundServers() (result []imports.Found, err error) {
	defer recovered(&err)
	return a.ws.FoundServers()
}

// ImportServer imports an MCP server that FoundServers lists into the settings.
func (a *App) ImportServer(path, name string) (err error) {
	defer recovered(&err)
	return a.ws.ImportServer(path, name)
}

// EnteredServers returns the MCP servers that a command line, an address or JSON sets up.
func (a *App) EnteredServers(name, text string) (result imports.EnteredServers, err error) {
	defer recovered(&err)
	return a.ws.EnteredServers(name, text), nil
}

// AddServers adds the MCP servers that a command line, an address or JSON sets up to the settings.
func (a *App) AddServers(name, text string) (err error) {
	defer recovered(&err)
	return a.ws.AddServers(name, text)
}

// RemoveServer removes an MCP server from the settings, with its sign-in and its keys.
func (a *App) RemoveServer(name string) (err error) {
	defer recovered(&err)
	return a.ws.RemoveServer(name)
}

// RestartServer ends an MCP server and starts it again, in the background.
func (a *App) RestartServer(name string) (err error) {
	defer recovered(&err)
	return a.ws.RestartServer(name)
}

// StopServer ends an MCP server, which does not restart on its own.
func (a *App) StopServer(name string) (err error) {
	defer recovered(&err)
	return a.ws.StopServer(name)
}

// ToolChange returns how a tool of an MCP server differs from what the person allowed.
func (a *App) ToolChange(server, tool string) (result mcp.ToolChange, err error) {
	defer recovered(&err)
	return a.ws.ToolChange(server, tool)
}

// AcceptTool lets agents use a tool of an MCP server as it is now; hash names the version that the person
// saw.
func (a *App) AcceptTool(server, tool, hash string) (err error) {
	defer recovered(&err)
	return a.ws.AcceptTool(server, tool, hash)
}

// ServerLog returns the last lines that an MCP server printed outside the protocol.
func (a *App) ServerLog(name string) (result string, err error) {
	defer recovered(&err)
	return a.ws.ServerLog(name)
}

// SignInServer begins a sign-in to an MCP server, and returns the page for the browser.
func (a *App) SignInServer(name string) (result mcp.SignInPage, err error) {
	defer recovered(&err)
	return a.ws.SignInServer(name)
}

// CancelSignIn gives up a sign-in to an MCP server that waits for the browser.
func (a *App) CancelSignIn(name string) (err error) {
	defer recovered(&err)
	return a.ws.CancelSignIn(name)
}

// SignOutServer forgets the sign-in to an MCP server. The result explains why the server could not be told.
func (a *App) SignOutServer(name string) (result string, err error) {
	defer recovered(&err)
	return a.ws.SignOutServer(name)
}

// PromptValues returns the values that an MCP server proposes for an argument of its prompt
// (command is "server:prompt"; others are the values given so far, by name). It starts no server.
func (a *App) PromptValues(command, argument, typed string, others map[string]string) (result []string, err error) {
	defer recovered(&err)
	return a.ws.PromptValues(command, argument, typed, others)
}
