package main

import (
	"mutsumi/backend/branches"
	"mutsumi/backend/documents"
)

// ForkNotebook makes a notebook beside another one that ends with a cell of it, and
// returns the new file. The name may be "".
func (a *App) ForkNotebook(path, cell, name string) (result string, err error) {
	defer recovered(&err)
	return a.ws.ForkNotebook(path, cell, name)
}

// PromptHistory lists the earlier texts of a prompt with their differences.
func (a *App) PromptHistory(path, cell string) (result []branches.PromptVersion, err error) {
	defer recovered(&err)
	return a.ws.PromptHistory(path, cell)
}

// RestorePrompt gives a prompt an earlier text again.
func (a *App) RestorePrompt(path, cell, at, origin string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.RestorePrompt(path, cell, at, origin)
}
