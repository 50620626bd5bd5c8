package serve

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/event"
)

// scheme begins the addresses of notebooks; a path follows.
const scheme = "mutsumi://notebook/"

// addressOf returns the address of the notebook at path.
func addressOf(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return scheme + strings.Join(parts, "/")
}

// listed is a notebook as the client knows it.
type listed struct {
	name       string
	modifiedMs int64
}

// follow keeps the list of resources up to date with the folder, reports changed notebooks, and
// refuses requests to the person, until the server ends. It closes ready when the list is complete.
func (s *server) follow(ready chan<- struct{}) {
	changes := s.Workspace.Events().Subscribe(func(e event.Event) bool {
		switch e.(type) {
		case event.TreeChanged, event.NotebookSaved, event.NotebookReloaded, event.ApprovalsChanged:
			return true
		}
		return false
	})
	defer changes.Close()
	all := map[string]listed{}
	s.list(all, s.Workspace.Nodes())
	close(ready)
	for {
		switch e := changes.Next(s.ctx).(type) {
		case nil:
			return
		case event.TreeChanged:
			s.list(all, e.Nodes)
			for _, file := range e.Removed {
				s.unlist(all, file)
			}
		case event.NotebookSaved:
			s.updated(e.Path)
		case event.NotebookReloaded:
			s.updated(e.Path)
		case event.ApprovalsChanged:
			for _, r := range e.Added {
				_ = s.Workspace.ResolveApproval(r.ID, approval.Decision{Reason: nobody}) // it may already be gone
			}
		}
	}
}

// nobody is the reason for refusing a request to the person.
const nobody = "the run was started over MCP, where nobody can be asked"

// list adds notebooks to the resources, under their current names. It leaves out files that are not
// notebooks.
func (s *server) list(all map[string]listed, nodes []agenttree.Node) {
	for _, n := range nodes {
		if n.Problem != "" {
			s.unlist(all, n.File)
			continue
		}
		before, known := all[n.File]
		all[n.File] = listed{n.Name, n.ModifiedMs}
		if !known || before.name != n.Name {
			s.mcp.AddResource(&mcp.Resource{URI: addressOf(n.File), Name: n.File, Title: n.Name, MIMEType: "text/markdown"}, s.readResource(n.File))
		}
		if before.modifiedMs != n.ModifiedMs { // also of one that could not be read in between
			s.updated(n.File)
		}
	}
}

func (s *server) unlist(all map[string]listed, file string) {
	if _, known := all[file]; known {
		delete(all, file)
		s.mcp.RemoveResources(addressOf(file))
	}
}

// updated tells subscribers that a notebook changed.
func (s *server) updated(path string) {
	_ = s.mcp.ResourceUpdated(s.ctx, &mcp.ResourceUpdatedNotificationParams{URI: addressOf(path)}) // if the client is gone, the server ends
}

// resourceBytes is the largest resource: a client may refuse longer messages.
const resourceBytes = 4 << 20

func (s *server) readResource(path string) mcp.ResourceHandler {
	return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := s.markdown(path, 0)
		if err != nil {
			return nil, err
		}
		piece, next := pieceOf(text, 0, resourceBytes)
		if next > 0 {
			piece += fmt.Sprintf("\n\n[Cut here: %d of %d bytes. The tool `read` gives the rest, with offset %d.]\n", next, len(text), next)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/markdown", Text: piece}}}, nil
	}
}
