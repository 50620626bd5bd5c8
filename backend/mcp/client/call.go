package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Call is one call of a tool.
type Call struct {
	Tool     string
	Args     json.RawMessage
	Progress func(Progress) // gets the server's progress reports; it must not block. nil: nobody
	Asks     Asks           // answers the server's questions during the call; nil: Options.Asks
}

// Progress is how far a call is, according to its server.
type Progress struct {
	Done, Total float64 // Total 0: not known
	Text        string
}

// Result is the answer of a tool.
type Result struct {
	Parts      []Part
	Structured json.RawMessage // nil: none
	IsError    bool
}

// Part is a piece of a result, a resource or a prompt.
type Part struct {
	Kind PartKind
	Text string // of Text; the description of a Link
	URI  string // of a Link, or of a resource
	MIME string
	Data []byte // of Image, Audio and Blob
}

// PartKind says what a Part is.
type PartKind string

const (
	Text  PartKind = "text"
	Image PartKind = "image"
	Audio PartKind = "audio"
	Blob  PartKind = "blob"
	Link  PartKind = "link" // to a resource that can be read
)

// call is a running call.
type call struct {
	ctx      context.Context         // of the call: what is asked in it ends with it
	end      context.CancelCauseFunc // ends it with a reason
	number   int
	of       Call
	progress chan struct{} // a sign of life
	waits    chan struct{} // held while a person is asked
}

type callKey struct{}

// Call runs a tool. It ends with ctx, with the connection, or when the server is silent for too
// long; in the last case it sends the server a cancellation. A failure of the tool itself is a
// Result.
func (c *Conn) Call(ctx context.Context, of Call) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	running := &call{ctx: ctx, end: cancel, of: of, progress: make(chan struct{}, 1), waits: make(chan struct{}, 1)}
	token := c.enter(running)
	defer c.leave(token)
	defer c.guard(ctx, running, cancel)()
	args := any(of.Args)
	if len(of.Args) == 0 {
		args = map[string]any{}
	}
	params := &mcp.CallToolParams{Name: of.Tool, Arguments: args, Meta: mcp.Meta{}}
	params.SetProgressToken(token)
	return within(ctx, c, func() (Result, error) {
		r, err := c.session.CallTool(context.WithValue(ctx, callKey{}, running), params)
		for round := 0; err != nil; round++ {
			if round == maxRounds {
				return Result{}, err
			}
			if again, why := c.first(ctx, running, err); !again {
				return Result{}, why
			}
			r, err = c.session.CallTool(context.WithValue(ctx, callKey{}, running), params)
		}
		out := Result{IsError: r.IsError, Structured: raw(r.StructuredContent)}
		for _, content := range r.Content {
			out.Parts = append(out.Parts, partOf(content))
		}
		return out, nil
	})
}

// guard ends a call whose server is silent or takes too long. stop ends the guard.
func (c *Conn) guard(ctx context.Context, running *call, cancel context.CancelCauseFunc) (stop func()) {
	t, done := c.with.Timing, make(chan struct{})
	go func() {
		quiet, all := time.NewTimer(t.Quiet), time.NewTimer(t.Call)
		defer quiet.Stop()
		defer all.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-running.progress:
				quiet.Reset(t.Quiet)
			case <-quiet.C:
				select {
				case running.waits <- struct{}{}:
					<-running.waits
					select {
					case <-running.progress: // progress arrived at this very moment
						quiet.Reset(t.Quiet)
						continue
					default:
					}
					cancel(fmt.Errorf("it did not answer within %s, so the call was cancelled; it may have taken effect", t.Quiet))
					return
				default: // the person is being asked
					quiet.Reset(t.Quiet)
				}
			case <-all.C:
				cancel(fmt.Errorf("it was not done within %s, so the call was cancelled; it may have taken effect", t.Call))
				return
			}
		}
	}()
	return func() { close(done) }
}

func (c *Conn) enter(running *call) (token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	running.number = c.tokens
	token = strconv.Itoa(c.tokens)
	c.calls[token] = running
	return token
}

func (c *Conn) leave(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, token)
}

// progressed passes on a progress report of a call. It ignores anything else.
func (c *Conn) progressed(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	c.mu.Lock()
	running := c.calls[token]
	c.mu.Unlock()
	if running == nil {
		return
	}
	select {
	case running.progress <- struct{}{}:
	default:
	}
	if tell := running.of.Progress; tell != nil {
		tell(Progress{Done: r.Params.Progress, Total: r.Params.Total, Text: r.Params.Message})
	}
}

// partOf converts a piece of content.
func partOf(content mcp.Content) Part {
	switch v := content.(type) {
	case *mcp.TextContent:
		return Part{Kind: Text, Text: v.Text}
	case *mcp.ImageContent:
		return Part{Kind: Image, MIME: v.MIMEType, Data: v.Data}
	case *mcp.AudioContent:
		return Part{Kind: Audio, MIME: v.MIMEType, Data: v.Data}
	case *mcp.ResourceLink:
		return Part{Kind: Link, URI: v.URI, MIME: v.MIMEType, Text: v.Name}
	case *mcp.EmbeddedResource:
		return resourceOf(v.Resource)
	}
	return Part{Kind: Text, Text: "(content of a kind that is not known)"}
}

func resourceOf(r *mcp.ResourceContents) Part {
	switch {
	case r == nil:
		return Part{Kind: Text}
	case r.Blob != nil:
		return Part{Kind: Blob, URI: r.URI, MIME: r.MIMEType, Data: r.Blob}
	}
	return Part{Kind: Text, URI: r.URI, MIME: r.MIMEType, Text: r.Text}
}

// Read reads a resource.
func (c *Conn) Read(ctx context.Context, uri string) ([]Part, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.with.Timing.List, errSilent)
	defer cancel()
	return within(ctx, c, func() ([]Part, error) {
		r, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return nil, err
		}
		var all []Part
		for _, content := range r.Contents {
			all = append(all, resourceOf(content))
		}
		return all, nil
	})
}

// Message is one message of a prompt.
type Message struct {
	Role string // "user" or "assistant"
	Part Part
}

// Prompt fills in one of the server's prompts.
func (c *Conn) Prompt(ctx context.Context, name string, args map[string]string) ([]Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.with.Timing.List, errSilent)
	defer cancel()
	return within(ctx, c, func() ([]Message, error) {
		r, err := c.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			return nil, err
		}
		var all []Message
		for _, m := range r.Messages {
			if m != nil {
				all = append(all, Message{string(m.Role), partOf(m.Content)})
			}
		}
		return all, nil
	})
}
