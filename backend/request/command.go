package request

import (
	"encoding/json"

	"mutsumi/backend/fault"
	"mutsumi/backend/prompt"
	"mutsumi/backend/slashcommand"
)

// Commands returns the folder's commands that take effect, in the order of their names.
func (m *Maker) Commands() (all []slashcommand.Command) {
	trust := m.with.Trust.Standing()
	for _, c := range slashcommand.List(m.with.Folder) {
		if trust.Counts(c.Path, c.File) {
			all = append(all, c)
		}
	}
	return all
}

// command returns a command that takes effect.
func (m *Maker) command(name string) (slashcommand.Command, error) {
	c, err := slashcommand.Find(m.with.Folder, name)
	if err != nil {
		return c, err
	}
	trust := m.with.Trust.Standing()
	switch {
	case !trust.Trusted:
		return c, fault.New(fault.Denied, "you have not trusted this folder with %s", c.Path)
	case !trust.Counts(c.Path, c.File):
		return c, fault.New(fault.Denied, "%s came or changed since you trusted this folder", c.Path)
	}
	return c, nil
}

// commandOf returns how to find the prompt's command. When an answer is continued, it is the one
// that the prompt was sent with.
func (m *Maker) commandOf(s Spec) func(name string) (slashcommand.Command, error) {
	if !s.Continues {
		return m.command
	}
	var sent prompt.Sent
	json.Unmarshal(s.sent, &sent) // ignore invalid data
	return func(name string) (slashcommand.Command, error) {
		c := sent.Command
		if c == nil || c.Name != name || !m.with.Trust.Trusted() {
			return slashcommand.Command{}, fault.New(fault.NotFound, "the prompt was sent without a command %s", name)
		}
		return slashcommand.Command{Name: c.Name, Path: c.Path, Text: c.Text}, nil
	}
}
