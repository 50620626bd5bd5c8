package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"mutsumi/backend/clip"
)

// Limits of what an agent offers for a session.
const (
	maxOptions  = 50
	maxChoices  = 500
	maxCommands = 500
	maxID       = 500 // bytes
	maxLabel    = 200 // characters
	maxNote     = 1000
)

// option is an Option and how its value is set.
type option struct {
	Option
	via string // the request that sets it
	is  string // the type of its value: boolean, or ""
}

// Requests that set an option.
const (
	viaMode   = "session/set_mode"
	viaModel  = "session/set_model"
	viaConfig = "session/set_config_option"
)

func (o option) has(value string) bool {
	return slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.Value == value })
}

// optionsOf returns the options of a session. Modes and models are those of older versions of the
// protocol: an option of the same category replaces them.
func optionsOf(r sessionResult) (all []option) {
	all = configOptions(r.Options)
	has := func(category string) bool {
		return slices.ContainsFunc(all, func(o option) bool { return o.Category == category })
	}
	var older []option
	if r.Modes != nil && len(r.Modes.All) > 0 && !has("mode") {
		o := option{Option: Option{ID: "mode", Name: "Mode", Category: "mode", Value: r.Modes.Current}, via: viaMode}
		for _, m := range r.Modes.All {
			o.add(m.ID, m.Name, m.Description)
		}
		older = append(older, o)
	}
	if r.Models != nil && len(r.Models.All) > 0 && !has("model") {
		o := option{Option: Option{ID: "model", Name: "Model", Category: "model", Value: r.Models.Current}, via: viaModel}
		for _, m := range r.Models.All {
			o.add(m.ID, m.Name, m.Description)
		}
		older = append(older, o)
	}
	return append(older, all...)
}

// add adds a choice within the limits.
func (o *option) add(value, name, description string) {
	if len(o.Choices) < maxChoices && len(value) <= maxID {
		o.Choices = append(o.Choices, Choice{Value: value, Name: clip.VisibleLine(cmp.Or(name, value), maxLabel), Description: clip.VisibleLine(description, maxNote)})
	}
}

// configOptions returns the options that an agent describes. Those of unknown types are left out.
func configOptions(list []configOption) (all []option) {
	for _, c := range list {
		if len(all) == maxOptions || c.ID == "" || len(c.ID) > maxID {
			continue
		}
		o := option{via: viaConfig, Option: Option{
			ID: c.ID, Name: clip.VisibleLine(cmp.Or(c.Name, c.ID), maxLabel), Description: clip.VisibleLine(c.Description, maxNote),
			Category: clip.VisibleLine(c.Category, maxLabel), Choices: []Choice{},
		}}
		switch c.Type {
		case "select", "":
			if json.Unmarshal(c.Current, &o.Value) != nil {
				continue
			}
			for _, x := range c.Choices {
				if x.Choices == nil {
					o.add(x.Value, x.Name, x.Description)
				}
				for _, y := range x.Choices { // of a group
					o.add(y.Value, cmp.Or(y.Name, y.Value), y.Description)
				}
			}
		case "boolean":
			var on bool
			if json.Unmarshal(c.Current, &on) != nil {
				continue
			}
			o.is, o.Value = c.Type, strconv.FormatBool(on)
			o.add("true", "On", "")
			o.add("false", "Off", "")
		default:
			continue
		}
		all = append(all, o)
	}
	return all
}

// set makes a choice for the session.
func (l *link) set(ctx context.Context, o option, value string) error {
	params := map[string]any{"sessionId": l.sessionID()}
	switch o.via {
	case viaMode:
		params["modeId"] = value
	case viaModel:
		params["modelId"] = value
	default:
		params["configId"], params["value"] = o.ID, value
		if o.is == "boolean" {
			params["type"], params["value"] = o.is, value == "true"
		}
	}
	var r sessionResult
	err := l.conn.call(ctx, l.place.agents.timing.choose, o.via, params, &r)
	if errors.Is(err, errSilent) {
		return errSilent
	}
	if err != nil {
		return err
	}
	l.place.change(l.conn.start.id, func(of *offer) {
		if r.Options != nil {
			of.replace(configOptions(r.Options))
			return
		}
		of.choose(func(x option) bool { return x.ID == o.ID && x.via == o.via }, value)
	})
	return nil
}

// replace replaces the options that an agent describes, and keeps those of older versions.
func (o *offer) replace(by []option) {
	all := slices.DeleteFunc(slices.Clone(o.options), func(x option) bool { return x.via == viaConfig })
	o.options = append(all, by...)
}

// choose sets the value of the options that match.
func (o *offer) choose(matches func(option) bool, value string) {
	o.options = slices.Clone(o.options)
	for i, x := range o.options {
		if matches(x) {
			o.options[i].Value = value
		}
	}
}

// commandsOf returns the commands that an agent offers.
func commandsOf(u sessionUpdate) []Command {
	all := []Command{}
	for _, c := range u.Commands {
		if len(all) == maxCommands || c.Name == "" {
			continue
		}
		command := Command{Name: clip.VisibleLine(c.Name, maxLabel), Description: clip.VisibleLine(c.Description, maxNote)}
		if c.Input != nil {
			command.Hint = clip.VisibleLine(c.Input.Hint, maxLabel)
		}
		all = append(all, command)
	}
	return all
}
