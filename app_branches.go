package main

import (
	"mutsumi/backend/branches"
	"mutsumi/backend/documents"
)

// ForkNotebook makes a notebook that holds another one up to a cell, and returns the new file. The
// name may be "".
func (a *App) ForkNotebook(path, cell, name string) (result string, err error) {
	defer recovered(&err)
	return a.ws.ForkNotebook(path, cell, name)
}

// PromptHistory lists the earlier texts of a prompt with their differences.
func (a *App) PromptHistory(path, cell string) (result []branches.PromptVersion, err error) {
	defer recovered(&err)
	return a.ws.PromptHistory(path, cell)
}

// Family returns a notebook's forks, copies and branches.
func (a *App) Family(path string) (result branches.Family, err error) {
	defer recovered(&err)
	return a.ws.Family(path)
}

// ForkPrompt makes a notebook that ends with a prompt of another one, unanswered, and returns the
// new file.
func (a *App) ForkPrompt(path, cell string, run branches.NewRun) (result string, err error) {
	defer recovered(&err)
	return a.ws.ForkPrompt(path, cell, run)
}

// CompareBranches compares notebooks or branches side by side.
func (a *App) CompareBranches(places []branches.Place) (result branches.Comparison, err error) {
	defer recovered(&err)
	return a.ws.Compare(places)
}

// CompareSent compares the last requests of notebooks with the request of the first.
func (a *App) CompareSent(paths []string) (result []branches.Sent, err error) {
	defer recovered(&err)
	return a.ws.CompareSent(paths)
}

// TakeBranch makes another line the main line of a notebook.
func (a *App) TakeBranch(from branches.Place, to string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.Take(from, to)
}

// Carry copies a cell ("cell") or its conclusion ("conclusion") to the end of a notebook.
func (a *App) Carry(from branches.Place, cell, to, what string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.Carry(from, cell, to, what)
}
