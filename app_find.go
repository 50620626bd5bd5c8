package main

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/textsearch"
)

// FindText searches the texts of a notebook.
func (a *App) FindText(path string, query textsearch.Query) (result documents.Found, err error) {
	defer recovered(&err)
	return a.ws.FindText(path, query)
}

// ReplaceText replaces text in the prompts of a notebook. Origin comes back in the event.
func (a *App) ReplaceText(path string, replacement documents.Replacement, origin string) (result documents.Replaced, err error) {
	defer recovered(&err)
	return a.ws.ReplaceText(path, replacement, origin)
}
