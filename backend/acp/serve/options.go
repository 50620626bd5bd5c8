package serve

import (
	"context"
	"slices"
	"strings"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/clip"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// The options of a session.
const (
	optionMode  acp.SessionConfigId = "mode"
	optionModel acp.SessionConfigId = "model"
	optionKind  acp.SessionConfigId = "kind"
)

// The modes of a session.
const (
	modeAsk   = "ask"   // calls that change something ask the person
	modeReads = "reads" // such calls are refused
)

var modes = []acp.SessionMode{
	{Id: modeAsk, Name: "Ask", Description: acp.Ptr("Asks you before it changes something or runs a command, unless you allowed that")},
	{Id: modeReads, Name: "Read only", Description: acp.Ptr("Refuses what would ask you")},
}

func (one *session) modes() *acp.SessionModeState {
	return &acp.SessionModeState{AvailableModes: modes, CurrentModeId: acp.SessionModeId(one.mode())}
}

func (one *session) mode() (mode string) {
	one.state.Do(func(st *sessionState) { mode = st.mode })
	return mode
}

// options lists what the person can choose for a session.
func (one *session) options() []acp.SessionConfigOption {
	var all []acp.SessionConfigOption
	var values []acp.SessionConfigSelectOption
	for _, m := range modes {
		values = append(values, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
	}
	all = append(all, option(optionMode, "Mode", acp.Ptr(acp.SessionConfigOptionCategoryMode), one.mode(), values))
	if known := one.models(); known != nil {
		values = nil
		for _, m := range known.AvailableModels {
			values = append(values, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.ModelId), Name: m.Name, Description: m.Description})
		}
		all = append(all, option(optionModel, "Model", acp.Ptr(acp.SessionConfigOptionCategoryModel), string(known.CurrentModelId), values))
	}
	values = nil
	kinds, _ := one.ws.Kinds() // the next run reports an error
	for _, k := range kinds {
		if k.Problem == "" && !k.Inert {
			values = append(values, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(k.Name), Name: title(k.Name), Description: acp.Ptr(clip.VisibleLine(k.Description, 300))})
		}
	}
	now := one.kind()
	if len(values) > 1 && slices.ContainsFunc(values, func(v acp.SessionConfigSelectOption) bool { return string(v.Value) == now }) {
		all = append(all, option(optionKind, "Kind of agent", nil, now, values))
	}
	return all
}

func option(id acp.SessionConfigId, name string, of *acp.SessionConfigOptionCategory, now string, values []acp.SessionConfigSelectOption) acp.SessionConfigOption {
	list := acp.SessionConfigSelectOptionsUngrouped(values)
	o := acp.NewSessionConfigOptionSelect(acp.SessionConfigValueId(now), acp.SessionConfigSelectOptions{Ungrouped: &list})
	o.Select.Id, o.Select.Name, o.Select.Category = id, name, of
	return o
}

// meta returns the metadata of the session's notebook; before it is made, those that it will have.
func (one *session) meta() (m notebook.MetaView) {
	if path := one.where(); path != "" {
		if _, meta, err := one.ws.Line(path); err == nil {
			return meta
		}
	}
	one.state.Do(func(st *sessionState) { m.Provider, m.Model, m.AgentType = st.model.Provider, st.model.Model, st.kind })
	return m
}

// kind is the kind of the session's agent.
func (one *session) kind() string {
	if k := one.meta().AgentType; k != "" {
		return k
	}
	return "chat"
}

// models lists the models of the settings; nil: none is known.
func (one *session) models() *acp.SessionModelState {
	view, err := one.ws.Settings()
	if err != nil {
		return nil
	}
	meta := one.meta()
	now := modelID(meta.Provider, meta.Model)
	if meta.Model == "" && view.Default != nil {
		now = modelID(view.Default.Provider, view.Default.Model)
	}
	out := &acp.SessionModelState{CurrentModelId: acp.ModelId(now)}
	for _, p := range view.Providers {
		for _, m := range p.Models {
			name := m.Name
			if name == "" {
				name = m.ID
			}
			out.AvailableModels = append(out.AvailableModels, acp.ModelInfo{
				ModelId: acp.ModelId(modelID(p.ID, m.ID)), Name: title(name), Description: acp.Ptr(title(p.Name)),
			})
		}
	}
	known := slices.ContainsFunc(out.AvailableModels, func(m acp.ModelInfo) bool { return m.ModelId == out.CurrentModelId })
	switch {
	case meta.Model == "" && now == "":
		return nil
	case !known:
		out.AvailableModels = append(out.AvailableModels, acp.ModelInfo{ModelId: out.CurrentModelId, Name: title(now)})
	}
	return out
}

// modelID names a model of a provider, whose id has no slash; "": there is none.
func modelID(provider, model string) string {
	if model == "" {
		return ""
	}
	return provider + "/" + model
}

// contextTokens is how many tokens the session's model takes; 0: unknown.
func (one *session) contextTokens() int {
	view, err := one.ws.Settings()
	known := one.models()
	if err != nil || known == nil {
		return 0
	}
	for _, p := range view.Providers {
		for _, m := range p.Models {
			if modelID(p.ID, m.ID) == string(known.CurrentModelId) {
				return m.ContextTokens
			}
		}
	}
	return 0
}

func (s *server) setOption(_ context.Context, p acp.SetSessionConfigOptionRequest) (any, func(), error) {
	if p.ValueId == nil {
		return nil, nil, invalid("Could not set the option: each one of Mutsumi has a value from a list.")
	}
	then, err := s.choose(p.ValueId.SessionId, p.ValueId.ConfigId, string(p.ValueId.Value))
	if err != nil {
		return nil, nil, err
	}
	one, err := s.session(p.ValueId.SessionId)
	if err != nil {
		return nil, nil, err
	}
	return acp.SetSessionConfigOptionResponse{ConfigOptions: one.options()}, then, nil
}

// choose sets an option of a session. then tells the editor what has changed with it.
func (s *server) choose(id acp.SessionId, option acp.SessionConfigId, value string) (then func(), err error) {
	one, err := s.session(id)
	if err != nil {
		return nil, err
	}
	path := one.where()
	switch option {
	case optionMode:
		if !slices.ContainsFunc(modes, func(m acp.SessionMode) bool { return string(m.Id) == value }) {
			return nil, invalid("Could not set the mode: there is none named %q.", value)
		}
		one.state.Do(func(st *sessionState) { st.mode = value })
		then = func() {
			one.update(one.id, acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(value)}})
			one.tellChanges()
		}
		return then, nil
	case optionModel:
		known := one.models()
		provider, model, _ := strings.Cut(value, "/")
		if known == nil || !slices.ContainsFunc(known.AvailableModels, func(m acp.ModelInfo) bool { return string(m.ModelId) == value }) {
			return nil, invalid("Could not set the model: the settings have none named %q.", value)
		}
		if path == "" {
			one.state.Do(func(st *sessionState) { st.model = settings.Choice{Provider: provider, Model: model} })
		} else if _, err := one.ws.Edit(path, []notebook.Edit{{Kind: notebook.EditModel, Text: provider, Rest: model}}, ""); err != nil {
			return nil, err
		}
		return one.tellChanges, nil
	case optionKind:
		if path != "" {
			return one.tellChanges, one.ws.SetKind(path, value)
		}
		kinds, err := one.ws.Kinds()
		if err != nil {
			return nil, err
		}
		for _, k := range kinds {
			if k.Name == value && k.Problem == "" && !k.Inert {
				one.state.Do(func(st *sessionState) { st.kind = value })
				return one.tellChanges, nil
			}
		}
		return nil, invalid("Could not set the kind: there is none named %q.", value)
	}
	return nil, invalid("Could not set the option %q: there is none of this name.", string(option))
}
