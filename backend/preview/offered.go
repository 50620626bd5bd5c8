package preview

import (
	"slices"

	"mutsumi/backend/chat"
	"mutsumi/backend/kind"
	"mutsumi/backend/mcp/offer"
	"mutsumi/backend/mcp/toolname"
	"mutsumi/backend/prompt"
	"mutsumi/backend/request"
)

// Offered lists what an agent can call, and the cost of the definitions in each request (SPEC 13.2).
type Offered struct {
	Groups  []ToolGroup   `json:"groups"`  // of the program's own tools that are sent
	Search  int           `json:"search"`  // tokens of search_tools and call_tool; 0: they are not offered
	Share   int           `json:"share"`   // tokens beyond which definitions of servers are deferred
	Servers []ServerTools `json:"servers"` // by name
	// Turn counts the requests of the last turn: each contained the definitions.
	Turn int `json:"turn"`
}

// ToolGroup is a group of the program's own tools.
type ToolGroup struct {
	Name   string `json:"name"` // read, change, shell, agents; "": those of every kind
	Tools  int    `json:"tools"`
	Tokens int    `json:"tokens"`
}

// ServerTools are the known tools of an MCP server. The names of its tools are hostile text.
type ServerTools struct {
	Name     string       `json:"name"`
	ID       string       `json:"id"`       // what Switch takes
	State    string       `json:"state"`    // off: in this notebook; kind: not for this kind of agents; same: else
	Sent     int          `json:"sent"`     // tokens of each request
	Deferred int          `json:"deferred"` // tokens that are not sent
	Tools    []ServerTool `json:"tools"`
}

// ServerTool is a tool of an MCP server.
type ServerTool struct {
	Name   string `json:"name"`
	ID     string `json:"id"`    // what Switch takes
	State  string `json:"state"` // sent, deferred, off, kind, held, unfit, stale (offer.State)
	Why    string `json:"why,omitempty"`
	Sent   bool   `json:"sent"`
	Tokens int    `json:"tokens"`
}

// offered describes the tools of the next request, whose definitions are parts.
func (pv *Previewer) offered(u upcoming, definitions []Part) Offered {
	out := Offered{Groups: []ToolGroup{}, Servers: []ServerTools{}, Share: request.ShareOf(u.Endpoint.Model.ContextTokens), Turn: lastTurn(u.Spec)}
	for _, p := range definitions {
		switch {
		case p.Source == toolname.Search || p.Source == toolname.Call:
			out.Search += p.Tokens
		case !toolname.FromServer(p.Source):
			out.add(kind.GroupOf(p.Source), p.Tokens)
		}
	}
	servers, of := pv.with.Requests.Servers(u.Spec)
	for _, name := range servers {
		out.Servers = append(out.Servers, ServerTools{Name: name, ID: prompt.ServerID(name, ""), State: stateOf(of, name), Tools: []ServerTool{}})
	}
	if of == nil {
		return out
	}
	for _, row := range of.Rows() {
		i := slices.IndexFunc(out.Servers, func(s ServerTools) bool { return s.Name == row.Server })
		if i < 0 {
			continue // it is no longer set up
		}
		s := &out.Servers[i]
		s.Tools = append(s.Tools, ServerTool{Name: row.Tool, ID: prompt.ServerID(row.Server, row.Tool), State: string(row.State), Why: row.Why, Sent: row.Sent, Tokens: row.Tokens})
		switch {
		case row.Sent:
			s.Sent += row.Tokens
		case row.State == offer.Deferred:
			s.Deferred += row.Tokens
		}
	}
	return out
}

func (o *Offered) add(group string, tokens int) {
	i := slices.IndexFunc(o.Groups, func(g ToolGroup) bool { return g.Name == group })
	if i < 0 {
		i = len(o.Groups)
		o.Groups = append(o.Groups, ToolGroup{Name: group})
	}
	o.Groups[i].Tools++
	o.Groups[i].Tokens += tokens
}

func stateOf(of *offer.Offer, server string) string {
	switch {
	case of == nil || !of.OfKind(server):
		return string(offer.NotKind)
	case of.IsOff(server):
		return string(offer.Off)
	}
	return "same"
}

// lastTurn counts the requests of the newest answered turn.
func lastTurn(s request.Spec) (n int) {
	for i, t := range slices.Backward(s.Turns) {
		if t.Cell != s.Turns[len(s.Turns)-1].Cell {
			break
		}
		if s.Turns[i].Message.Role == chat.Assistant {
			n++
		}
	}
	return n
}
