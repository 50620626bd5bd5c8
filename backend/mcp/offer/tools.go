package offer

import (
	"cmp"
	"context"
	"slices"

	"mutsumi/backend/clip"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/toolname"
	"mutsumi/backend/tool"
)

// Caller lists and calls the tools of servers; mcp.Servers implements it.
type Caller interface {
	List() ([]mcp.View, error)
	Known() []mcp.Tool
	CallOffered(ctx context.Context, t mcp.Tool, call client.Call) (client.Result, error)
}

// Offers decides which server tools requests hold, and which ones search_tools finds (SPEC 13.2).
// It is safe for concurrent use.
type Offers struct {
	servers Caller
	defined definitions
}

// New returns the Offers for servers.
func New(servers Caller) *Offers { return &Offers{servers: servers} }

// Head is the part of the server tools that every request of a notebook holds, from the first one
// on. Definitions are at the beginning of a request: adding another one would make the provider
// read everything after it again. search_tools finds what servers offer later.
type Head struct {
	Model   string   `json:"model"`   // for which the share was computed
	Servers []string `json:"servers"` // named in the description of search_tools
	Tools   []Kept   `json:"tools"`   // in the order in which they are sent
}

// Kept is a definition as its server gave it. Its JSON is kept as text, so that it stays byte for byte the
// same.
type Kept struct {
	Server      string `json:"server"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"`
	Annotations string `json:"annotations,omitempty"`
}

func keep(server string, t client.Tool) Kept {
	return Kept{server, t.Name, t.Title, t.Description, string(t.Schema), string(t.Annotations)}
}

func (k Kept) tool() client.Tool {
	t := client.Tool{Name: k.Name, Title: k.Title, Description: k.Description}
	if k.Schema != "" {
		t.Schema = []byte(k.Schema)
	}
	if k.Annotations != "" {
		t.Annotations = []byte(k.Annotations)
	}
	return t
}

// Wanted says for which agent and notebook tools are offered.
type Wanted struct {
	Kind  func(server, tool string) bool // whether the agent's kind may use it; tool "": anything of the server
	Off   func(server, tool string) bool // whether it is switched off in the notebook; tool "": all of the server
	Image Image
	Ask   Ask                 // asks the person a server's question; nil: nobody is there, so it is declined
	Head  *Head               // nil: no request holds tools of servers yet
	Model string              // the model that gets the request
	Share int                 // how many tokens the definitions may take before the rest is deferred
	Count func(tool.Tool) int // counts the definition of a tool
}

// Offer is the selection of server tools for an agent.
type Offer struct {
	Sent     []tool.Tool            // tools whose definitions requests hold, in order
	Head     Head                   // for later requests; empty without servers
	Withheld map[string][]tool.Tool // tools that cannot be called now, by the reason given to models
	of       *Offers
	want     Wanted
	direct   map[string]*remote // of Sent
}

// Offer decides what an agent is offered. The definitions of a Head stay as they were sent,
// whatever happened to their servers, unless the person took them out: by removing a server,
// distrusting it, or a switch.
func (o *Offers) Offer(w Wanted) *Offer {
	out := &Offer{of: o, want: w, direct: map[string]*remote{}, Withheld: map[string][]tool.Tool{}}
	names, known := o.setUp(w), o.known(w)
	now := map[string]found{}
	for _, f := range known {
		now[f.name] = f
		if why := f.withheld(); why != "" {
			out.Withheld[why] = append(out.Withheld[why], f.remote)
		}
	}
	if len(names) == 0 {
		return out
	}
	if w.Head != nil && w.Head.Model == w.Model {
		out.Head = *w.Head
	} else {
		out.Head = headOf(w, names, known)
	}
	out.Sent = append(out.Sent, out.searchTool(out.Head.Servers), out.callTool())
	for _, k := range out.Head.Tools {
		if !slices.Contains(names, k.Server) || !w.Kind(k.Server, k.Name) || w.Off(k.Server, "") || w.Off(k.Server, k.Name) {
			continue
		}
		r := o.remote(w, k.Server, k.tool())
		if f, is := now[r.name]; is {
			r.stale, r.held = f.revision != r.revision, f.withheld()
		}
		out.direct[r.name] = r
		out.Sent = append(out.Sent, r)
	}
	return out
}

// setUp names the servers that an agent may use, whatever their state.
func (o *Offers) setUp(w Wanted) (names []string) {
	all, _ := o.servers.List() // the settings show what cannot be read
	for _, v := range all {
		if v.Waits() || !w.Kind(v.Name, "") || w.Off(v.Name, "") {
			continue
		}
		names = append(names, v.Name)
	}
	return names
}

// State is what happens to a tool of a server.
type State string

const (
	IsSent   State = "sent"     // requests hold its definition
	Deferred State = "deferred" // search_tools finds it
	Off      State = "off"      // switched off in the notebook
	NotKind  State = "kind"     // the agent's kind may not use it
	Held     State = "held"     // it changed since the person allowed it
	Unfit    State = "unfit"    // it cannot be offered to any agent
	Stale    State = "stale"    // requests hold its old definition; search_tools finds the current one
)

// found is a tool that a server has now.
type found struct {
	*remote
	state State // Deferred: it can be offered
	why   string
}

// withheld says, for models, why a tool cannot be called; "": it can, or there is nothing to say.
func (f found) withheld() string {
	switch f.state {
	case Held:
		return f.why
	case Off:
		return "the person switched it off in this notebook; go on without it"
	case NotKind:
		return "an agent of this kind is not offered it, and no approval changes that"
	}
	return ""
}

// known lists the tools that servers have now, by server and name.
func (o *Offers) known(w Wanted) (all []found) {
	for _, t := range o.servers.Known() {
		f := found{remote: o.remote(w, t.Server, t.Tool), state: Deferred}
		switch {
		case t.Problem != "":
			f.state, f.why = Unfit, clip.VisibleLine(t.Problem, 500)
		case !w.Kind(t.Server, t.Name):
			f.state = NotKind
		case w.Off(t.Server, "") || w.Off(t.Server, t.Name):
			f.state = Off
		case t.Blocked != "":
			f.state, f.why = Held, clip.Visible(t.Blocked)
		}
		all = append(all, f)
	}
	return all
}

func (o *Offers) remote(w Wanted, server string, t client.Tool) *remote {
	return &remote{definition: o.defined.of(server, t), servers: o.servers, image: w.Image, ask: w.Ask}
}

// headOf decides which definitions the first request holds: the tools of whole servers, smallest
// first, while they fit in the share.
func headOf(w Wanted, names []string, known []found) Head {
	h := Head{Model: w.Model, Servers: names, Tools: []Kept{}}
	size := map[string]int{}
	for _, f := range known {
		if f.state == Deferred {
			size[f.server] += w.Count(f.remote)
		}
	}
	bySize := slices.Clone(names)
	slices.SortStableFunc(bySize, func(a, b string) int { return cmp.Compare(size[a], size[b]) })
	sent, left := map[string]bool{}, w.Share
	for _, name := range bySize {
		if left -= size[name]; left < 0 {
			break
		}
		sent[name] = true
	}
	for _, f := range known {
		if f.state == Deferred && sent[f.server] {
			h.Tools = append(h.Tools, keep(f.server, f.of))
		}
	}
	return h
}

// deferred lists the tools that can be called but whose current definitions requests do not hold.
func (of *Offer) deferred() (all []*remote) {
	for _, f := range of.of.known(of.want) {
		if sent := of.direct[f.name]; f.state == Deferred && (sent == nil || sent.revision != f.revision) {
			all = append(all, f.remote)
		}
	}
	return all
}

// Find returns a tool that can be called although no request holds its definition, given the name
// that agents use.
func (of *Offer) Find(name string) (tool.Tool, bool) {
	if !toolname.FromServer(name) || of.direct[name] != nil {
		return nil, false
	}
	for _, r := range of.deferred() {
		if r.name == name {
			return r, true
		}
	}
	return nil, false
}

// OfKind reports whether the agent's kind may use anything of a server.
func (of *Offer) OfKind(server string) bool { return of.want.Kind(server, "") }

// IsOff reports whether a server is switched off in the notebook.
func (of *Offer) IsOff(server string) bool { return of.want.Off(server, "") }

// Row is what happens to a tool of a server, for people. Its texts may be hostile.
type Row struct {
	Server string
	Tool   string // the server's name for it
	State  State
	Why    string
	Sent   bool // requests hold its definition, even if its State is Held
	Tokens int  // of its definition, whether it is sent or not
}

// Rows lists all known tools, and those in requests whose servers do not run.
func (of *Offer) Rows() (all []Row) {
	seen := map[string]bool{}
	for _, f := range of.of.known(of.want) {
		seen[f.name] = true
		row := Row{Server: f.server, Tool: f.of.Name, State: f.state, Why: f.why, Tokens: of.want.Count(f.remote)}
		if sent := of.direct[f.name]; sent != nil {
			row.Sent, row.Tokens = true, of.want.Count(sent)
			switch {
			case f.state == Deferred && sent.stale:
				row.State = Stale
			case f.state == Deferred:
				row.State = IsSent
			}
		}
		all = append(all, row)
	}
	for _, t := range of.Sent {
		if r, is := t.(*remote); is && !seen[r.name] {
			all = append(all, Row{r.server, r.of.Name, IsSent, "", true, of.want.Count(r)})
		}
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(a.Server, b.Server) })
	return all
}
