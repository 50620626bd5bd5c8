package workspace

import (
	"encoding/json"
	"strconv"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/title"
)

// defaultName is the name of an agent until its first prompt runs or a person
// names it.
const defaultName = "New agent"

// What a notebook's metadata say of its name.
const (
	// keyTitle holds the name that the program gave. A name that differs was
	// given by a person and stays; "" says that the person gave the one that it has.
	keyTitle = "mutsumi_title"
	// keyTold holds the name that an agent's requests began with before a model
	// gave it a better one. They go on with it, so that what a server has cached of
	// the conversation still holds.
	keyTold = "mutsumi_title_sent"
)

// nameFromPrompt names an agent after its first prompt (SPEC 11.11), unless it
// has a name of its own. The caller publishes the change.
func (tx namingTx) nameFromPrompt(prompt chat.Content) {
	tx.w.naming.Lock() // of two that begin at once the second sees the name of the first
	defer tx.w.naming.Unlock()
	if name := tx.nameFor(prompt); name != tx.Notebook().Meta().Name {
		tx.give(name)
	}
}

// give gives the agent a name of the program. Under w.naming.
func (tx namingTx) give(name string) {
	if raw, err := json.Marshal(name); err == nil && tx.Notebook().Keep(keyTitle, raw) == nil {
		tx.Notebook().SetName(name)
		tx.ShowName()
	}
}

// nameFor is the name that an agent has once a prompt runs. The system message
// holds it, from the first request on, so that the second one begins with the
// same.
func (tx namingTx) nameFor(prompt chat.Content) string {
	own := tx.Notebook().Meta().Name
	if !isDefaultName(own) || tx.Notebook().Raw(keyTitle) != nil {
		return own
	}
	name := title.FromPrompt(prompt.String())
	if name == "" {
		return own
	}
	return uniqueName(tx.w.registry, name, tx.Path())
}

// textOf gives a text of the metadata, "" for anything else.
func textOf(nb *notebook.Document, key string) (s string) {
	if raw := nb.Raw(key); raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// namedByProgram reports whether the agent has the name that the program gave
// it after its first prompt.
func namedByProgram(nb *notebook.Document) bool {
	given := textOf(nb, keyTitle)
	return given != "" && given == nb.Meta().Name
}

// toldName is what requests call the agent where that is not its name.
func toldName(nb *notebook.Document) string {
	if !namedByProgram(nb) {
		return ""
	}
	return textOf(nb, keyTold)
}

// Rename gives an agent the name that a person wants.
func (ct *catalog) Rename(path, name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return fault.New(fault.Invalid, "an agent needs a name")
	}
	return ct.with(path, func(tx *Tx, nb *notebook.Document) error {
		tx.MarkShown()
		// One that the program gives, or gave, is the person's from now on.
		if isDefaultName(name) || name == textOf(nb, keyTitle) {
			if err := nb.Keep(keyTitle, json.RawMessage(`""`)); err != nil {
				return err
			}
		}
		c, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditRename, Text: name}})
		if err != nil {
			return err
		}
		tx.Identify()
		tx.Changed(c, "")
		return nil
	})
}

// isDefaultName reports whether name is defaultName, with or without a number.
func isDefaultName(name string) bool {
	rest, ok := strings.CutPrefix(name, defaultName)
	if !ok || rest == "" {
		return ok
	}
	_, err := strconv.Atoi(strings.TrimPrefix(rest, " "))
	return err == nil
}

// uniqueName returns name with a number behind it if an agent of the folder
// other than the one at path has it already.
func uniqueName(reg *documents.Registry, name, path string) string {
	taken := map[string]bool{}
	for _, h := range reg.Summaries() {
		if h.File != path {
			taken[h.Name] = true
		}
	}
	return title.Unique(name, func(s string) bool { return taken[s] })
}
