package main

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/lookup"
	"mutsumi/backend/textsearch"
)

// FindText searches the texts of a notebook.
func (a *App) FindText(path string, query textsearch.Query) (result documents.Found, err error) {
	defer recovered(&err)
	return a.ws.FindText(path, query)
}

// ReplaceText replaces text in the prompts of a notebook. The event carries origin.
func (a *App) ReplaceText(path string, replacement documents.Replacement, origin string) (result documents.Replaced, err error) {
	defer recovered(&err)
	return a.ws.ReplaceText(path, replacement, origin)
}

// FindCells finds cells of all notebooks by their first words.
func (a *App) FindCells(query string) (result lookup.Found, err error) {
	defer recovered(&err)
	return a.ws.FindCells(query), nil
}

// Glimpse returns the beginning of a cell of a notebook; "" is its last one.
func (a *App) Glimpse(path, cell string) (result lookup.Glimpse, err error) {
	defer recovered(&err)
	return a.ws.Glimpse(path, cell)
}
