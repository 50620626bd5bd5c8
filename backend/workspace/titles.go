package workspace

import (
	"encoding/json"
	"strconv"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/title"
)

// defaultName is the name of an agent until its first prompt runs or a person
// names it.
const defaultName = "New agent"

// keyTitle holds, in a notebook's metadata, the name that the program gave it.
// A name that differs was given by a person and stays.
const keyTitle = "mutsumi_title"

// nameFromPrompt names an agent after its first prompt (SPEC 11.11), unless it
// has a name of its own. Under d.mu; the caller publishes the change.
func (d *doc) nameFromPrompt(prompt chat.Content) {
	name := d.nameFor(prompt)
	if name == d.nb.Meta().Name {
		return
	}
	if raw, err := json.Marshal(name); err == nil && d.nb.Keep(keyTitle, raw) == nil {
		d.nb.SetName(name)
	}
}

// nameFor is the name that an agent has once a prompt runs. The system message
// holds it, from the first request on, so that the second one begins with the
// same. Under d.mu.
func (d *doc) nameFor(prompt chat.Content) string {
	own := d.nb.Meta().Name
	if !isDefaultName(own) {
		return own
	}
	name := title.FromPrompt(prompt.String())
	if name == "" {
		return own
	}
	return d.w.uniqueName(name, d.path())
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
func (w *Workspace) uniqueName(name, path string) string {
	w.mu.Lock()
	taken := make(map[string]bool, len(w.heads))
	for p, h := range w.heads {
		if p != path {
			taken[h.Name] = true
		}
	}
	w.mu.Unlock()
	return title.Unique(name, func(s string) bool { return taken[s] })
}
