// Package naming chooses the names that the program gives agents: that of a new agent,
// and those made from a first prompt or by a model (SPEC 11.11). Package title makes
// the words.
package naming

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/chat"
	"mutsumi/backend/documents"
	"mutsumi/backend/language"
	"mutsumi/backend/notebook"
	"mutsumi/backend/title"
)

// unnamed is Default in English.
const unnamed = "New agent"

// Default returns the name of an agent until its first prompt runs or a person
// names it, in the language of the interface.
func Default(in language.Catalogue) string { return in.Text(unnamed) }

// Keys of a notebook's metadata.
const (
	// KeyTitle holds the name that the program gave. If the agent's name differs, or
	// KeyTitle is "", a person gave it and it stays.
	KeyTitle = "mutsumi_title"
	// KeyRequestName holds the name in the agent's first requests, from before a model
	// named it. Later requests keep using it, so that the server's prompt cache stays
	// valid.
	KeyRequestName = "mutsumi_title_sent"
)

// ForPrompt returns the name that an agent has once a prompt runs. It is chosen before
// the first request, because the system message holds it and must not change later.
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

// Keep records that the person chose the name, if the program could have given it too, so that the
// program does not replace it.
func Keep(nb *notebook.Document, name string) error {
	if !IsDefault(name) && name != textOf(nb, KeyTitle) {
		return nil
	}
	return nb.Keep(KeyTitle, json.RawMessage(`""`))
}

// textOf returns a string of the metadata, "" for anything else.
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

// InRequests returns the agent's name in requests if it differs from its name, otherwise "".
func InRequests(nb *notebook.Document) string {
	if !ByProgram(nb) {
		return ""
	}
	return textOf(nb, KeyRequestName)
}

// IsDefault reports whether name is Default, optionally followed by a number.
func IsDefault(name string) bool {
	for _, tag := range []string{language.English, language.Chinese} {
		if tag == language.Chinese && isASCII(name) {
			continue // the catalogue is not read for it
		}
		if rest, ok := strings.CutPrefix(name, Default(language.Of(tag))); ok {
			_, err := strconv.Atoi(strings.TrimPrefix(rest, " "))
			return rest == "" || err == nil
		}
	}
	return false
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// Unique returns name, with a number appended if another agent of the folder than the one at path
// has it already.
func Unique(reg *documents.Registry, name, path string) string {
	taken := map[string]bool{}
	for _, h := range reg.Summaries() {
		if h.File != path {
			taken[h.Name] = true
		}
	}
	return title.Unique(name, func(s string) bool { return taken[s] })
}
