package main

import "mutsumi/backend/acp"

// ACPAgents lists the agents on this machine that can answer notebooks.
func (a *App) ACPAgents() (all []acp.View, err error) {
	defer recovered(&err)
	return a.ws.ACPAgents()
}

// AddACPAgent adds an agent to the settings, or changes it.
func (a *App) AddACPAgent(in acp.Input) (err error) {
	defer recovered(&err)
	return a.ws.AddACPAgent(in)
}

// RemoveACPAgent removes an agent from the settings.
func (a *App) RemoveACPAgent(id string) (err error) {
	defer recovered(&err)
	return a.ws.RemoveACPAgent(id)
}

// SignInACPAgent signs in to an agent by one of its methods, and returns when that is done.
func (a *App) SignInACPAgent(id, method string) (err error) {
	defer recovered(&err)
	return a.ws.SignInACPAgent(id, method)
}

// ACPSession returns what the agent that answers a notebook offers for it.
func (a *App) ACPSession(path string) (s acp.SessionView, err error) {
	defer recovered(&err)
	return a.ws.ACPSession(path)
}

// SetACPOption makes a choice that an agent offers for its session.
func (a *App) SetACPOption(path, option, value string) (err error) {
	defer recovered(&err)
	return a.ws.SetACPOption(path, option, value)
}
