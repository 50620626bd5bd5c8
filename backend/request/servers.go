package request

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/offer"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
	"mutsumi/backend/role"
	"mutsumi/backend/tokens"
	"mutsumi/backend/tool"
)

// serversWait is how long a run waits for servers that were not used before.
const serversWait = 10 * time.Second

// For a model whose window is unknown, tool definitions may take as many tokens as for one with
// this window: small enough for most that run on the person's own machine.
const assumedWindow = 32_768

// ServersShare is how much of a model's window the definitions of servers' tools may take before
// they are deferred (SPEC 13.2), in percent.
const ServersShare = 5

// ShareOf returns that share in tokens.
func ShareOf(window int) int {
	if window <= 0 {
		window = assumedWindow
	}
	return window / 100 * ServersShare
}

// ReadyServers starts the MCP servers that an agent's tools come from, and decides their part in
// all requests of a run: it stores that in s, and for later runs. It returns when ctx ends, or
// after it has waited long enough.
func (m *Maker) ReadyServers(ctx context.Context, s *Spec) {
	if m.offers == nil || !s.Role.OffersServers() {
		return
	}
	m.StartServers(ctx, *s)
	s.servers = m.OfServers(*s)
	if len(s.servers.Sent) == 0 || !s.Endpoint.Model.Tools {
		return
	}
	if raw, err := json.Marshal(s.servers.Head); err == nil {
		m.with.Kept.KeepTools(s.Agent.UUID, raw)
	}
}

// ToolTokens counts the definition of a server's tool in requests.
func ToolTokens(c *tokens.Counter, t mcp.Tool) int {
	name, about, schema := offer.Described(t.Server, t.Tool)
	return agent.ToolTokens(c, provider.ToolSpec{Name: name, Description: about, Parameters: schema})
}

// OfServers returns an agent's offer of tools of MCP servers; nil: nothing.
func (m *Maker) OfServers(s Spec) *offer.Offer {
	if s.servers != nil || m.offers == nil || !s.Role.OffersServers() {
		return s.servers
	}
	count := m.with.Counters.For(s.Endpoint.Model.ID)
	w := offer.Wanted{
		Kind: s.Role.OffersOf, Off: s.serverOff(), Image: Image,
		Model: s.Endpoint.ProviderID + "/" + s.Endpoint.Model.ID, Share: ShareOf(s.Endpoint.Model.ContextTokens),
		Count: func(t tool.Tool) int {
			return agent.ToolTokens(count, provider.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()})
		},
	}
	if m.with.Tools == AskTools { // a person can answer
		w.Ask = m.with.Agents.Ask(s)
	}
	var head offer.Head
	if raw := m.with.Kept.Tools(s.Agent.UUID); raw != nil && json.Unmarshal(raw, &head) == nil {
		w.Head = &head
	}
	return m.offers.Offer(w)
}

// Servers names the MCP servers that are set up, and returns an agent's offer of their tools; nil:
// nothing.
func (m *Maker) Servers(s Spec) (names []string, of *offer.Offer) {
	if m.offers == nil {
		return nil, nil
	}
	all, _ := m.with.Servers.List() // the list of servers shows unreadable ones
	for _, v := range all {
		names = append(names, v.Name)
	}
	return names, m.OfServers(s)
}

// withServers returns the tools of an agent of a role, those of servers after its other ones.
func withServers(r role.Role, own []tool.Tool, of *offer.Offer) *tool.Registry {
	if of == nil {
		return r.Only(own, nil)
	}
	tools := r.Only(own, of.Sent).Finding(of.Find)
	for why, withheld := range of.Withheld {
		tools = tools.Without(why, withheld...)
	}
	return tools
}

// serverOff returns which tools of servers the notebook has switched off.
func (s Spec) serverOff() func(server, tool string) bool {
	var meta prompt.Meta
	meta.ReadMeta(nil, nil, s.off)
	return func(server, tool string) bool { return slices.Contains(meta.ContextOff, prompt.ServerID(server, tool)) }
}

// foundAgain returns the definitions of tools that the agent found in messages that a summary
// replaces; "": none.
func (m *Maker) foundAgain(s Spec) string {
	if len(s.coveredCalls) == 0 {
		return ""
	}
	of := m.OfServers(s)
	if of == nil {
		return ""
	}
	return of.Again(s.coveredCalls, ShareOf(s.Endpoint.Model.ContextTokens), m.with.Counters.For(s.Endpoint.Model.ID).Count)
}
