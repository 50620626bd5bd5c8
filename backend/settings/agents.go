package settings

import (
	"cmp"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/fault"
)

// ACPAgent is an agent that the person set up (SPEC 14.1): a program that speaks the Agent Client
// Protocol. In the settings file it is under `agentServers`, by its id.
type ACPAgent struct {
	ID      string            `yaml:"-"`
	Name    string            `yaml:"name"`
	Command string            `yaml:"command"`
	Args    []string          `yaml:"args"`
	Env     map[string]string `yaml:"env"`
}

// ACPAgents provides the agents in the settings.
type ACPAgents struct{ store *Store }

// ACPAgentsOf returns the agents in the settings.
func ACPAgentsOf(s *Store) ACPAgents { return ACPAgents{s} }

// List returns the agents in the order of their ids.
func (v ACPAgents) List() []ACPAgent {
	v.store.mu.Lock()
	defer v.store.mu.Unlock()
	all := []ACPAgent{}
	for _, id := range slices.Sorted(maps.Keys(v.store.content.Agents)) {
		a := v.store.content.Agents[id]
		a.ID, a.Name = id, cmp.Or(a.Name, id)
		a.Args, a.Env = slices.Clone(a.Args), maps.Clone(a.Env)
		all = append(all, a)
	}
	return all
}

// Put adds an agent to the settings file, or replaces the one with its id.
func (v ACPAgents) Put(a ACPAgent) error {
	return v.store.edit(func(root *yaml.Node) error {
		entry := ensure(ensure(root, "agentServers", yaml.MappingNode), a.ID, yaml.MappingNode)
		put(entry, "name", a.Name, a.Name == "" || a.Name == a.ID)
		put(entry, "command", a.Command, false)
		put(entry, "args", a.Args, len(a.Args) == 0)
		put(entry, "env", a.Env, len(a.Env) == 0)
		return nil
	})
}

// Remove removes an agent from the settings file. If there is none with that id, the error is
// NotFound.
func (v ACPAgents) Remove(id string) error {
	return v.store.edit(func(root *yaml.Node) error {
		list := child(root, "agentServers")
		if child(list, id) == nil {
			return fault.New(fault.NotFound, "the settings have no agent named %s", id)
		}
		if remove(list, id); len(list.Content) == 0 {
			remove(root, "agentServers")
		}
		return nil
	})
}
