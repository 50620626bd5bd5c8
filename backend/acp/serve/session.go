package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/acp-go-sdk"
	"github.com/google/uuid"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/catalog"
	"mutsumi/backend/clip"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// session is a notebook that the editor has open.
type session struct {
	*folder
	id    string // uuid of the notebook
	state lock.Guarded[sessionState]

	telling lock.Mutex // held by tellChanges; taken before state
}

type sessionState struct {
	path string // of the notebook when it was opened; "": it is made with the first prompt

	// Chosen before the notebook is made.
	model settings.Choice
	kind  string

	mode  string           // modeAsk or modeReads
	last  chan struct{}    // closed when the prompt that came last has ended; nil: none came
	stops map[*turn]func() // end the prompts that have not ended
	shown told
	began bool // a prompt has run
}

// told is what the editor knows of a session; see tellChanges.
type told struct{ title, commands, options string }

// place is where a session is, in the requests that begin one. The editor's servers are not used.
type place struct {
	Cwd        string            `json:"cwd"`
	SessionID  string            `json:"sessionId"`
	McpServers []json.RawMessage `json:"mcpServers"`
}

// newSession begins a session. Its notebook is made with the first prompt, so that a session that
// is not used leaves nothing behind.
func (s *server) newSession(ctx context.Context, p place) (any, func(), error) {
	f, err := s.folderAt(p.Cwd)
	if err != nil {
		return nil, nil, err
	}
	s.leaveOutServers(p)
	f.ws.AskEnvironment(ctx)
	one := f.opened(uuid.NewString(), "")
	return acp.NewSessionResponse{
		SessionId: acp.SessionId(one.id), ConfigOptions: one.options(), Modes: one.modes(), Models: one.models(),
	}, one.tellChanges, nil
}

// leaveOutServers says that the editor's servers are not used.
func (s *server) leaveOutServers(p place) {
	if n := len(p.McpServers); n > 0 {
		s.Say(fmt.Sprintf("left out: %d MCP servers of the editor. Agents use those of the folder and of the settings: `mutsumi mcp add` adds one", n))
	}
}

// opened returns the session of a notebook, the one that is open or a new one.
func (f *folder) opened(id, path string) (one *session) {
	f.open.Do(func(all *map[string]*session) {
		if one = (*all)[id]; one == nil {
			one = &session{folder: f, id: id}
			one.state.Do(func(st *sessionState) { st.path, st.mode, st.stops = path, modeAsk, map[*turn]func(){} })
			(*all)[id] = one
		}
	})
	return one
}

// loadSession opens the session of a notebook that is there. With replay the editor gets its cells.
func (s *server) loadSession(p place, replay bool) (any, func(), error) {
	f, err := s.folderAt(p.Cwd)
	if err != nil {
		return nil, nil, err
	}
	s.leaveOutServers(p)
	one, err := s.session(acp.SessionId(p.SessionID))
	if err != nil {
		node, ok := f.node(p.SessionID)
		if !ok {
			return nil, nil, missing("Could not find the session %s: no notebook of %s has this uuid.", clip.VisibleLine(p.SessionID, 100), f.ws.Folder())
		}
		one = f.opened(node.UUID, node.File)
		one.state.Do(func(st *sessionState) { st.shown.title = node.Name })
	}
	if replay {
		if err := one.replay(); err != nil {
			return nil, nil, err
		}
		return acp.LoadSessionResponse{ConfigOptions: one.options(), Modes: one.modes(), Models: one.models()}, one.tellChanges, nil
	}
	return acp.ResumeSessionResponse{ConfigOptions: one.options(), Modes: one.modes(), Models: one.models()}, one.tellChanges, nil
}

// node finds the readable notebook with a uuid.
func (f *folder) node(id string) (agenttree.Node, bool) {
	nodes := f.ws.Nodes()
	i := slices.IndexFunc(nodes, func(n agenttree.Node) bool { return n.UUID == id && n.Problem == "" })
	if i < 0 {
		return agenttree.Node{}, false
	}
	return nodes[i], true
}

// where returns the path of the session's notebook now; "": it is not made yet.
func (one *session) where() (path string) {
	one.state.Do(func(st *sessionState) { path = st.path })
	if path != "" {
		path = one.ws.NameNow(path)
	}
	return path
}

// ensure returns the path of the session's notebook, and makes it if need be. The caller is the only
// prompt of the session at work.
func (one *session) ensure() (string, error) {
	if path := one.where(); path != "" {
		return path, nil
	}
	var chosen sessionState
	one.state.Do(func(st *sessionState) { chosen.model, chosen.kind = st.model, st.kind })
	path, err := one.ws.CreateAs(one.id, catalog.NewNotebook{Kind: chosen.kind})
	if err != nil {
		return "", err
	}
	one.state.Do(func(st *sessionState) { st.path = path })
	if m := chosen.model; m != (settings.Choice{}) {
		_, err = one.ws.Edit(path, []notebook.Edit{{Kind: notebook.EditModel, Text: m.Provider, Rest: m.Model}}, "")
	}
	return path, err
}

// stop ends the prompts of the session that have come so far.
func (one *session) stop() {
	one.state.Do(func(st *sessionState) {
		for _, stop := range st.stops {
			stop()
		}
	})
}

// closeSession stops what a session does, and forgets it.
func (s *server) closeSession(ctx context.Context, p acp.CloseSessionRequest) (any, func(), error) {
	one, err := s.session(p.SessionId)
	if err != nil {
		return nil, nil, err
	}
	s.open.Do(func(all *map[string]*session) { delete(*all, one.id) })
	one.stop()
	var last chan struct{}
	one.state.Do(func(st *sessionState) { last = st.last })
	if last != nil {
		select {
		case <-last:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	if path := one.where(); path != "" {
		_ = one.ws.CloseNotebook(path) // nobody looks at it
	}
	return acp.CloseSessionResponse{}, nil, nil
}

// sessionsAtOnce is how many sessions are listed at once.
const sessionsAtOnce = 200

// listSessions lists the agents of a folder, those changed last first; without a folder those of the
// open folders.
func (s *server) listSessions(_ context.Context, p acp.ListSessionsRequest) (any, func(), error) {
	var folders []*folder
	if p.Cwd != nil {
		f, err := s.folderAt(*p.Cwd)
		if err != nil {
			return nil, nil, err
		}
		folders = append(folders, f)
	} else {
		s.folders.Do(func(all *map[string]*opening) {
			for _, key := range sorted(*all) {
				if f := (*all)[key].folder; f != nil {
					folders = append(folders, f)
				}
			}
		})
	}
	type listed struct {
		agenttree.Node
		cwd string
	}
	var all []listed
	for _, f := range folders {
		for _, n := range f.ws.Nodes() {
			if n.Problem == "" && n.UUID != "" {
				all = append(all, listed{n, f.ws.Folder()})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b listed) int { return int(min(max(b.ModifiedMs-a.ModifiedMs, -1), 1)) })
	from := 0
	if p.Cursor != nil {
		n, err := strconv.Atoi(*p.Cursor)
		if err != nil || n < 0 {
			return nil, nil, invalid("Could not list more sessions: the cursor %s was not given.", clip.VisibleLine(*p.Cursor, 50))
		}
		from = min(n, len(all))
	}
	out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	to := min(from+sessionsAtOnce, len(all))
	for _, n := range all[from:to] {
		out.Sessions = append(out.Sessions, acp.SessionInfo{
			Cwd: n.cwd, SessionId: acp.SessionId(n.UUID), Title: acp.Ptr(title(n.Name)),
			UpdatedAt: acp.Ptr(time.UnixMilli(n.ModifiedMs).UTC().Format(time.RFC3339)),
		})
	}
	if to < len(all) {
		out.NextCursor = acp.Ptr(strconv.Itoa(to))
	}
	return out, nil, nil
}

func title(name string) string { return clip.VisibleLine(strings.TrimSpace(name), 200) }
