// Package naming knows the names that the program gives agents: the one of a
// new agent, and those after a first prompt or by a model (SPEC 11.11). Package
// title makes the words.
package naming

import (
	"encoding/json"
	"strconv"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
	"mutsumi/backend/title"
)

// Default is the name of an agent until its first prompt runs or a person
// names it.
const Default = "New agent"

// What a notebook's metadata say of its name.
const (
	// KeyTitle holds the name that the program gave. A name that differs was
	// given by a person and stays; "" says that the person gave the one that it has.
	KeyTitle = "mutsumi_title"
	// KeyRequestName holds the name that an agent's requests began with before a model
	// gave it a better one. They go on with it, so that what a server has cached of
	// the conversation still holds.
	KeyRequestName = "mutsumi_title_sent"
)

// ForPrompt is the name that an agent has once a prompt runs. The system message
// holds it, from the first request on, so that the second one begins with the
// same.
func ForPrompt(reg *documents.Registry, tx *documents.Tx, prompt chat.Content) string {
	own := tx.Notebook().Meta().Name
	if !IsDefault(own) || tx.Notebook().Raw(KeyTitle) != nil {
		return own
	}
	name := title.FromPrompt(prompt.String())
	if name == "" {
		return own
	}
	return Unique(reg, name, tx.Path())
}

// Keep notes that the person gave the agent the name that it has, where that is
// one that the program gives, or gave.
func Keep(nb *notebook.Document, name string) error {
	if !IsDefault(name) && name != textOf(nb, KeyTitle) {
		return nil
	}
	return nb.Keep(KeyTitle, json.RawMessage(`""`))
}

// textOf gives a text of the metadata, "" for anything else.
func textOf(nb *notebook.Document, key string) (s string) {
	if raw := nb.Raw(key); raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// ByProgram reports whether the agent has the name that the program gave
// it after its first prompt.
func ByProgram(nb *notebook.Document) bool {
	given := textOf(nb, KeyTitle)
	return given != "" && given == nb.Meta().Name
}

// InRequests is what requests call the agent where that is not its name.
func InRequests(nb *notebook.Document) string {
	if !ByProgram(nb) {
		return ""
	}
	return textOf(nb, KeyRequestName)
}

// IsDefault reports whether name is Default, with or without a number.
func IsDefault(name string) bool {
	rest, ok := strings.CutPrefix(name, Default)
	if !ok || rest == "" {
		return ok
	}
	_, err := strconv.Atoi(strings.TrimPrefix(rest, " "))
	return err == nil
}

// Unique returns name with a number behind it if an agent of the folder
// other than the one at path has it already.
func Unique(reg *documents.Registry, name, path string) string {
	taken := map[string]bool{}
	for _, h := range reg.Summaries() {
		if h.File != path {
			taken[h.Name] = true
		}
	}
	return title.Unique(name, func(s string) bool { return taken[s] })
}
