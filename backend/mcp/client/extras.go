package client

import (
	"context"
	"errors"
	"iter"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/clip"
)

// Template is an address template of a server's resources, with places to fill in.
type Template struct{ URI, Name, Title, Description, MIME string }

// Templates lists the server's resource templates.
func (c *Conn) Templates(ctx context.Context) ([]Template, error) {
	if !c.About().Resources {
		return nil, nil
	}
	return list(ctx, c, Resources, func(ctx context.Context) iter.Seq2[*mcp.ResourceTemplate, error] {
		return c.session.ResourceTemplates(ctx, nil)
	}, func(t *mcp.ResourceTemplate) Template {
		return Template{t.URITemplate, t.Name, t.Title, clip.Text(t.Description, maxDescription), t.MIMEType}
	})
}

// maxValues is how many values a server may propose for an argument.
const maxValues = 50

// Values asks the server for values of a prompt's argument that begin with typed; others are the
// values of the other arguments. nil: it proposes nothing.
func (c *Conn) Values(ctx context.Context, prompt, argument, typed string, others map[string]string) ([]string, error) {
	return c.values(ctx, &mcp.CompleteReference{Type: "ref/prompt", Name: prompt}, argument, typed, others)
}

func (c *Conn) values(ctx context.Context, of *mcp.CompleteReference, argument, typed string, others map[string]string) ([]string, error) {
	r := c.session.InitializeResult()
	if r == nil || r.Capabilities == nil || r.Capabilities.Completions == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.with.Timing.List, errSilent)
	defer cancel()
	params := &mcp.CompleteParams{Ref: of, Argument: mcp.CompleteParamsArgument{Name: argument, Value: typed}}
	if len(others) > 0 {
		params.Context = &mcp.CompleteContext{Arguments: others}
	}
	return within(ctx, c, func() ([]string, error) {
		got, err := c.session.Complete(ctx, params)
		if err != nil {
			return nil, err
		}
		values := got.Completion.Values
		return values[:min(len(values), maxValues)], nil
	})
}

// IsSilent reports whether an error says that the server did not answer in time.
func IsSilent(err error) bool { return errors.Is(err, errSilent) }
