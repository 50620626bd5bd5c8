package main

import (
	"mutsumi/backend/agentfiles"
	"mutsumi/backend/settings"
)

// Settings returns the settings without any key.
func (a *App) Settings() (result settings.View, err error) {
	defer recovered(&err)
	return a.ws.Settings()
}

// ChangePreferences changes what differs between two versions of the preferences, and nothing else.
func (a *App) ChangePreferences(from, to settings.Preferences) (err error) {
	defer recovered(&err)
	return a.ws.ChangePreferences(from, to)
}

// SaveProvider adds or replaces a provider and returns its id.
func (a *App) SaveProvider(p settings.ProviderInput) (result string, err error) {
	defer recovered(&err)
	return a.ws.SaveProvider(p)
}

// DeleteProvider removes a provider and its key.
func (a *App) DeleteProvider(id string) (err error) {
	defer recovered(&err)
	return a.ws.DeleteProvider(id)
}

// SetSessionKey keeps a provider's key in memory, until the program ends.
func (a *App) SetSessionKey(provider, key string) (err error) {
	defer recovered(&err)
	return a.ws.SetSessionKey(provider, key)
}

// SetKey puts a provider's key into the system's keyring; "" removes it.
func (a *App) SetKey(provider, key string) (err error) {
	defer recovered(&err)
	return a.ws.SetKey(provider, key)
}

// TestConnection asks a provider for its models; the answer is an event with the id returned.
func (a *App) TestConnection(provider string) (result string, err error) {
	defer recovered(&err)
	return a.ws.TestConnection(provider)
}

// SaveUI saves the state of the window for the next start.
func (a *App) SaveUI(s settings.UIState) (err error) {
	defer recovered(&err)
	return a.ws.SaveUI(s)
}

// ChooseFolder asks for a folder with the system's dialog and opens it in its own window.
func (a *App) ChooseFolder() (err error) {
	defer recovered(&err)
	return a.desktop.chooseFolder()
}

// SaveText saves text of an answer where the person chooses in the system's dialog, which proposes name.
func (a *App) SaveText(name, text string) (err error) {
	defer recovered(&err)
	return saveText(a.desktop, name, text)
}

// OpenFolder opens a folder, or the folder of a notebook, in its own window. On `mutsumi serve` it
// returns the address to open in the browser instead.
func (a *App) OpenFolder(path string) (address string, err error) {
	defer recovered(&err)
	return a.desktop.openFolder(path)
}

// OpenSample makes the sample folder if it does not exist, and opens it as OpenFolder does, with the
// notebook of the tour in front.
func (a *App) OpenSample() (address string, err error) {
	defer recovered(&err)
	return openSample(a.desktop, a.ws)
}

// OpenExternal opens a link of an answer in the system's browser: http, https and mailto only.
func (a *App) OpenExternal(link string) (err error) {
	defer recovered(&err)
	return a.desktop.openExternal(link)
}

// Remembered says how much is kept of earlier requests, of all folders.
func (a *App) Remembered() (result agentfiles.Remembered, err error) {
	defer recovered(&err)
	return a.ws.Remembered(), nil
}

// ForgetSent removes what is kept of earlier requests, of all folders.
func (a *App) ForgetSent() (err error) {
	defer recovered(&err)
	return a.ws.ForgetSent()
}
