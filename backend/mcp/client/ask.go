package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Asks answers a question that a server asks the person while it works (elicitation); the program
// decides how to show it. All text in the question is hostile. It returns when ctx ends.
type Asks func(ctx context.Context, q Question) (Answer, error)

// Question is a question of a server: fields of a form, or an address to open.
type Question struct {
	Text    string
	Address string // https or http; "": the question is a form
	First   bool   // nothing was done yet: the call is repeated once the person is done there
	Fields  []Field
}

// Field is a field of a form.
type Field struct {
	Name, Title, Description string
	Kind                     string   // "string", "number", "integer" or "boolean"
	Choices                  []string // the allowed values; nil: any
	Labels                   []string // names of the choices; nil: the values themselves
	Several                  bool     // more than one choice may be picked
	Required                 bool
	Default                  json.RawMessage // nil: none
	// Least and Most limit a number, the length of a text, or how many of several choices are made;
	// nil: no limit.
	Least, Most *float64
}

// Answer is the person's answer. Each value has the type that its field wants.
type Answer struct {
	Action Action
	Values map[string]any
}

// Action is what the person did.
type Action string

const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel" // dismissed without a choice
)

// elicit passes a question to the caller of the call in which the server asks it. It ends with that
// call, whatever the server does.
func (c *Conn) elicit(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	running, _ := ctx.Value(callKey{}).(*call)
	if running == nil {
		running = c.oldest() // earlier revisions do not say which call it belongs to
	}
	q, err := questionOf(r.Params)
	if err != nil {
		return nil, err
	}
	a, err := c.ask(ctx, running, q)
	if err != nil {
		return nil, err
	}
	out := &mcp.ElicitResult{Action: string(a.Action)}
	if a.Action == Accept && q.Address == "" {
		out.Content = a.Values
		if out.Content == nil {
			out.Content = map[string]any{}
		}
	}
	return out, nil
}

// ask puts a question to the answerer of a call; nil: it belongs to no call.
func (c *Conn) ask(ctx context.Context, running *call, q Question) (Answer, error) {
	asks := c.with.Asks
	if running != nil {
		if running.of.Asks != nil {
			asks = running.of.Asks
		}
		bounded, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(running.ctx, func() { cancel(context.Cause(running.ctx)) })()
		ctx = bounded
		select {
		case running.waits <- struct{}{}: // one question at a time; the call does not count as silent while it waits
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
		defer func() {
			select {
			case running.progress <- struct{}{}: // the server's time begins now
			default:
			}
			<-running.waits
		}()
	}
	if asks == nil {
		return Answer{Action: Decline}, nil
	}
	return asks(ctx, q)
}

// maxRounds is how often a server may ask for addresses to be opened before it does a call.
const maxRounds = 3

// first has the person open the addresses without which a server does not do a call, and
// reports whether to repeat the call. no is the server's answer.
func (c *Conn) first(ctx context.Context, running *call, no error) (again bool, err error) {
	var refused *jsonrpc.Error
	if !errors.As(no, &refused) || refused.Code != mcp.CodeURLElicitationRequired {
		return false, no
	}
	var wants struct {
		Elicitations []*mcp.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &wants) != nil || len(wants.Elicitations) == 0 || len(wants.Elicitations) > maxRounds {
		return false, no
	}
	for _, p := range wants.Elicitations {
		if p == nil || p.Mode != "url" {
			return false, no
		}
		q, err := questionOf(p)
		if err != nil {
			return false, err
		}
		q.First = true
		a, err := c.ask(ctx, running, q)
		if err != nil {
			return false, err
		}
		if a.Action != Accept {
			return false, errors.New("it wants an address to be opened first, and the person declined that")
		}
	}
	return true, nil
}

// oldest returns the call that has run longest; nil: no call runs.
func (c *Conn) oldest() *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Collect(maps.Values(c.calls))
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(a, b *call) int { return cmp.Compare(a.number, b.number) })
}

func questionOf(p *mcp.ElicitParams) (Question, error) {
	q := Question{Text: p.Message}
	if p.Mode == "url" {
		u, err := url.Parse(p.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return q, errors.New("the address to open is neither https nor http")
		}
		q.Address = p.URL
		return q, nil
	}
	var form struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if schema := raw(p.RequestedSchema); schema != nil && json.Unmarshal(schema, &form) != nil {
		return q, errors.New("the form cannot be read")
	}
	const maxFields = 50
	if len(form.Properties) > maxFields {
		return q, errors.New("the form has too many fields")
	}
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		q.Fields = append(q.Fields, form.Properties[name].field(name, slices.Contains(form.Required, name)))
	}
	return q, nil
}

// property is a field of a form as in the protocol.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []titled        `json:"oneOf"`
	AnyOf       []titled        `json:"anyOf"`
	Items       *property       `json:"items"`
	Default     json.RawMessage `json:"default"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinLength   *float64        `json:"minLength"`
	MaxLength   *float64        `json:"maxLength"`
	MinItems    *float64        `json:"minItems"`
	MaxItems    *float64        `json:"maxItems"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func (p property) field(name string, required bool) Field {
	f := Field{Name: name, Title: p.Title, Description: p.Description, Kind: p.Type, Required: required, Default: p.Default}
	switch p.Type {
	case "string":
		f.Least, f.Most = p.MinLength, p.MaxLength
	case "number", "integer":
		f.Least, f.Most = p.Minimum, p.Maximum
	case "array":
		if p.Items != nil {
			f.Least, f.Most = p.MinItems, p.MaxItems
			f.Several, f.Kind, p = true, "string", *p.Items
		}
	}
	f.Choices = p.Enum
	if len(p.EnumNames) == len(p.Enum) {
		f.Labels = p.EnumNames
	}
	for _, t := range slices.Concat(p.OneOf, p.AnyOf) {
		f.Choices, f.Labels = append(f.Choices, t.Const), append(f.Labels, cmp.Or(t.Title, t.Const))
	}
	return f
}

// clientOptions declare what this program can do: no roots, no sampling, no logging.
func (c *Conn) clientOptions() *mcp.ClientOptions {
	changed := func(l List) {
		if c.with.Changed != nil {
			c.with.Changed(l)
		}
	}
	return &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		},
		ElicitationHandler:          c.elicit,
		ProgressNotificationHandler: c.progressed,
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed(Tools) },
		ResourceListChangedHandler:  func(context.Context, *mcp.ResourceListChangedRequest) { changed(Resources) },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			if c.with.Updated != nil && r.Params != nil {
				c.with.Updated(r.Params.URI)
			}
		},
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed(Prompts) },
	}
}
