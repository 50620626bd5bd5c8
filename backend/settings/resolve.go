package settings

import (
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Endpoint is what a client needs to reach a model.
type Endpoint struct {
	ProviderID string
	Name       string // of the provider, for a person
	BaseURL    string
	Wire       Wire // the protocol; "": chat
	Source     Source
	Model      ModelView
	Key        func() (string, error) // may wait for the keyring; "" without error: none is needed
}

// Resolve finds the endpoint of a notebook's provider and model. Empty names pick a default: the
// preference, otherwise the first provider that has a key (or needs none) and a model, otherwise
// the built-in one. A model that its provider does not list is accepted: lists are often
// incomplete. Errors are NotFound for an unknown provider and Invalid if there is nothing to pick.
func (s *Store) Resolve(provider, model string) (Endpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resolve(s.providers(), s.preferences(), provider, model)
}

// resolve is Resolve; the caller holds mu.
func (s *Store) resolve(all []ProviderView, prefs Preferences, provider, model string) (Endpoint, error) {
	if provider != "" {
		p, err := s.byProvider(provider)
		if err != nil {
			return Endpoint{}, err
		}
		return s.endpoint(p, model, prefs)
	}
	if model != "" {
		for _, p := range all {
			if p.ID == prefs.DefaultProvider && has(p, model) {
				return s.endpoint(p, model, prefs)
			}
		}
		for _, p := range all {
			if usable(p) && has(p, model) {
				return s.endpoint(p, model, prefs)
			}
		}
	}
	for _, p := range all {
		if p.ID == prefs.DefaultProvider {
			return s.endpoint(p, model, prefs)
		}
	}
	for _, p := range all {
		if !usable(p) || (model != "" && p.Source == BuiltIn) {
			continue
		}
		if e, err := s.endpoint(p, model, prefs); err == nil {
			return e, nil
		}
	}
	if model != "" {
		return Endpoint{}, fault.New(fault.NotFound, "no provider in the settings has the model %q: choose another model, or add its provider", model)
	}
	return Endpoint{}, fault.New(fault.Invalid, "there is no model to ask: add a provider with a key in the settings, or set OPENAI_API_KEY")
}

// choice returns what Resolve picks for a notebook that names nothing. A default provider without
// known models is picked as well: the run reports what is missing. The caller holds mu.
func (s *Store) choice(all []ProviderView, prefs Preferences) *Choice {
	if e, err := s.resolve(all, prefs, "", ""); err == nil {
		return &Choice{Provider: e.ProviderID, Model: e.Model.ID}
	}
	for _, p := range all {
		if p.ID == prefs.DefaultProvider {
			return &Choice{Provider: p.ID}
		}
	}
	return nil
}

// offline reports whether no provider but the built-in one can be asked.
func offline(all []ProviderView) bool {
	return !slices.ContainsFunc(all, func(p ProviderView) bool {
		return p.Source != BuiltIn && len(p.Models) > 0 && usable(p)
	})
}

// usable reports whether a provider can be picked without having been named.
func usable(p ProviderView) bool {
	switch p.Source {
	case BuiltIn, FromEnvironment:
		return true
	case FromDiscovery:
		return len(p.Models) > 0
	}
	return p.Key.Set || p.Key.Store == "none" && isLoopback(hostName(p.BaseURL))
}

func hostName(base string) string {
	host := hostOf(base)
	if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return strings.Trim(host, "[]")
}

func has(p ProviderView, model string) bool {
	for _, m := range p.Models {
		if m.ID == model {
			return true
		}
	}
	return false
}

// endpoint pairs a provider with a model; the caller holds mu.
func (s *Store) endpoint(p ProviderView, model string, prefs Preferences) (Endpoint, error) {
	if model == "" && (prefs.DefaultProvider == p.ID || prefs.DefaultProvider == "" && has(p, prefs.DefaultModel)) {
		model = prefs.DefaultModel
	}
	e := Endpoint{ProviderID: p.ID, Name: p.Name, BaseURL: p.BaseURL, Wire: p.Wire, Source: p.Source}
	e.Key = func() (string, error) { return s.Key(p.ID) }
	for _, m := range p.Models {
		if m.ID == model || model == "" && chats(m.ID) {
			e.Model = m
			return e, nil
		}
	}
	if model == "" {
		return Endpoint{}, fault.New(fault.Invalid, "no model of %s is known: test the connection to fetch its list, or name one in the settings", p.Name)
	}
	e.Model = Known(model)
	if p.Source == FromDiscovery {
		e.Model = free(e.Model)
	}
	return e, nil
}
