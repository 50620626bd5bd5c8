package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/clip"
)

// Bounds of a server's lists.
const (
	maxItems       = 1000     // of one list
	maxDescription = 16 << 10 // bytes; more is cut
	maxSchema      = 64 << 10 // bytes; a tool with more is left out
	maxToolName    = 200      // bytes
)

// Tool is a tool as its server describes it. Its texts are hostile.
type Tool struct {
	Name, Title, Description string
	Schema                   json.RawMessage // of the arguments: an object
	ReadOnly                 bool            // the server's hint, which grants nothing
	Annotations              json.RawMessage // all its hints; nil: none
	Problem                  string          // why it cannot be offered; "": nothing
}

// Tools lists the server's tools.
func (c *Conn) Tools(ctx context.Context) ([]Tool, error) {
	if !c.About().Tools {
		return nil, nil
	}
	return list(ctx, c, Tools, func(ctx context.Context) iter.Seq2[*mcp.Tool, error] { return c.session.Tools(ctx, nil) }, toolOf)
}

func toolOf(t *mcp.Tool) Tool {
	out := Tool{Name: t.Name, Title: clip.Text(t.Title, maxToolName), Description: clip.Text(t.Description, maxDescription), Schema: raw(t.InputSchema)}
	if t.Annotations != nil {
		out.ReadOnly = t.Annotations.ReadOnlyHint
		hints := *t.Annotations
		hints.Title = clip.Text(hints.Title, maxToolName)
		out.Annotations = raw(hints)
	}
	schema, isObject := t.InputSchema.(map[string]any)
	switch {
	case t.Name == "" || len(t.Name) > maxToolName || clip.VisibleLine(t.Name, maxToolName) != t.Name || strings.ContainsAny(t.Name, "\u200c\u200d"):
		out.Name, out.Problem = clip.VisibleLine(t.Name, maxToolName), "its name is empty, too long, or holds characters that cannot be seen"
	case !isObject || schema["type"] != "object":
		out.Problem = "the schema of its arguments is not that of an object"
	case len(out.Schema) > maxSchema:
		out.Schema, out.Problem = nil, fmt.Sprintf("the schema of its arguments is larger than %d KB", maxSchema>>10)
	}
	return out
}

// Resource is something that a server lets clients read.
type Resource struct{ URI, Name, Title, Description, MIME string }

// Resources lists the server's resources.
func (c *Conn) Resources(ctx context.Context) ([]Resource, error) {
	if !c.About().Resources {
		return nil, nil
	}
	return list(ctx, c, Resources, func(ctx context.Context) iter.Seq2[*mcp.Resource, error] { return c.session.Resources(ctx, nil) }, func(r *mcp.Resource) Resource {
		return Resource{r.URI, r.Name, r.Title, clip.Text(r.Description, maxDescription), r.MIMEType}
	})
}

// Prompt is a prompt that a server offers.
type Prompt struct {
	Name, Title, Description string
	Arguments                []Argument
}

// Argument is an argument of a prompt.
type Argument struct {
	Name, Description string
	Required          bool
}

// Prompts lists the server's prompts.
func (c *Conn) Prompts(ctx context.Context) ([]Prompt, error) {
	if !c.About().Prompts {
		return nil, nil
	}
	return list(ctx, c, Prompts, func(ctx context.Context) iter.Seq2[*mcp.Prompt, error] { return c.session.Prompts(ctx, nil) }, func(p *mcp.Prompt) Prompt {
		out := Prompt{Name: p.Name, Title: p.Title, Description: clip.Text(p.Description, maxDescription)}
		for _, a := range p.Arguments {
			if a != nil && len(out.Arguments) < maxItems {
				out.Arguments = append(out.Arguments, Argument{a.Name, clip.Text(a.Description, maxDescription), a.Required})
			}
		}
		return out
	})
}

// list reads one list, up to its bound: a server may go on forever. It begins when the server reports
// changes of its lists, so that none is missed.
func list[From, To any](ctx context.Context, c *Conn, what List, pages func(context.Context) iter.Seq2[*From, error], of func(*From) To) ([]To, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.with.Timing.List, errSilent)
	defer cancel()
	c.lists.wait(ctx, c)
	return within(ctx, c, func() (all []To, err error) {
		for item, err := range pages(ctx) {
			switch {
			case what != Tools && lacksMethod(err):
				return nil, nil
			case err != nil:
				return nil, err
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case len(all) == maxItems:
				return nil, fmt.Errorf("it has more than %d %s", maxItems, what)
			case item != nil:
				all = append(all, of(item))
			}
		}
		return all, nil
	})
}

// lacksMethod reports whether a server says that it has no such list: many that offer resources
// have no templates.
func lacksMethod(err error) bool {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && refused.Code == jsonrpc.CodeMethodNotFound
}

// endWait is how long a failed request waits for the reason of the connection's end: usually
// milliseconds.
const endWait = 5 * time.Second

// within runs a request until it ends, or its context or the connection does, even where the SDK
// would wait longer.
func within[T any](ctx context.Context, c *Conn, request func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		v, err := request()
		answered <- answer{v, err}
	}()
	var none T
	select {
	case a := <-answered:
		if a.err == nil {
			return a.value, nil
		}
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		if isEnd(a.err) || c.isRefused() { // the reason is known soon, and then the server can be started again
			select {
			case <-c.done:
				return none, c.ended
			case <-time.After(endWait):
			}
		}
		return none, c.explain(a.err)
	case <-c.done:
		return none, c.ended
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
