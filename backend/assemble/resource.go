package assemble

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
	"mutsumi/backend/ref"
)

// Resources reads what texts name as `@[server:uri]` (SPEC 3.8).
type Resources interface {
	// Has reports whether a server of this name is set up, usable or not.
	Has(server string) bool

	// Read reads a resource. Its result is hostile text. The error says why it cannot be read;
	// ErrNotRead means that it is read when the prompt is sent. Read returns soon after ctx ends.
	Read(ctx context.Context, server, uri string) (ResourceContent, error)

	// Runs reports whether the server runs, so that reading starts nothing.
	Runs(server string) bool
}

// ErrNotRead is returned because a preview does not start the server of a resource.
var ErrNotRead = errors.New("(not read in a preview, as its server does not run: it is read when the prompt is sent)")

// ErrSilent is in the errors of a server that did not answer in time.
var ErrSilent = errors.New("it did not answer in time")

// ResourceContent is the content of a resource. Text names what is in Blobs.
type ResourceContent struct {
	Text  string
	Blobs []Blob
}

// Blob is an image or a document of a resource.
type Blob struct {
	Name string
	Data []byte
}

func (r ResourceContent) size() int {
	n := len(r.Text)
	for _, b := range r.Blobs {
		n += len(b.Data)
	}
	return n
}

// readResource is a resource as it was read, once for a build.
type readResource struct {
	content ResourceContent
	err     error
}

// resource follows a reference to a resource; ok is false if it is not one. Only references that a
// person typed here are read: reading asks a server, which may be elsewhere, for whatever the
// address says.
func (w *walker) resource(r ref.Ref) (res result, ok bool) {
	server, uri, ok := r.Resource()
	if !ok || w.a.cfg.Resources == nil || !w.a.cfg.Resources.Has(server) {
		return result{}, false
	}
	res = result{kind: Resource, key: server + ":" + macro.Expand(uri, w.a.cfg.Macros)}
	if w.skip != nil && w.skip(Resource, res.key, nil) {
		res.inert = true
		return res, true
	}
	if why := w.unasked(r); why != "" {
		w.warn(w.line, fmt.Sprintf("%s was not read: %s", res.key, why))
		res.inert = true
		return res, true
	}
	_, uri, _ = strings.Cut(res.key, ":")
	content, err := w.a.readResource(w.ctx, server, uri)
	switch {
	case errors.Is(err, ErrNotRead):
		res.content = ErrNotRead.Error()
	case err != nil:
		res.problem = reason(err, res.key)
		res.content = fmt.Sprintf("> Could not read %s: %s", res.key, res.problem)
		w.a.taken += len(res.content) + perFile
		w.warn(w.line, fmt.Sprintf("Could not read %s: %s", res.key, res.problem))
	default:
		res.content, res.blobs = content.Text, content.Blobs
	}
	return res, true
}

// unasked says why a reference is not the person's; "" if it is.
func (w *walker) unasked(r ref.Ref) string {
	switch {
	case !w.typed:
		return "it stands in a file, and a server is asked only for what you type in a prompt"
	case w.foreign == nil || !w.foreign(r.Inner):
		return ""
	case w.fromAgent:
		return "another agent wrote this prompt, and a server is asked only for what you type in a prompt"
	}
	return "it was not typed here, but came in with a notebook or a command: write it in a new prompt to have it read"
}

// readResource reads a resource once for a build, and once for a series of previews.
func (a *Assembler) readResource(ctx context.Context, server, uri string) (ResourceContent, error) {
	key := server + ":" + uri
	if got, ok := a.resources[key]; ok {
		return got.content, got.err
	}
	got, forgotten, kept := a.cfg.Cache.resource(key)
	switch {
	case kept && a.cfg.Preview:
	case a.silent[server]:
		got = readResource{err: ErrSilent} // asking again would only take as long again
	default:
		got = readResource{}
		got.content, got.err = a.cfg.Resources.Read(ctx, server, uri)
		if got.err == nil && len(got.content.Text) > files.TextLimit {
			got = readResource{err: fault.New(fault.Invalid, "it is %s, more than the %s that fit", files.Size(int64(len(got.content.Text))), files.Size(files.TextLimit))}
		}
		if errors.Is(got.err, ErrSilent) {
			a.silent[server] = true
		}
		if ctx.Err() == nil && !errors.Is(got.err, ErrNotRead) {
			a.cfg.Cache.putResource(key, got, forgotten)
		}
	}
	if got.err == nil {
		if err := a.take(len(got.content.Text) + perFile); err != nil {
			return ResourceContent{}, err
		}
	}
	a.resources[key] = got
	return got.content, got.err
}

// Resource reads a resource again that a person had read with an earlier prompt.
func (a *Assembler) Resource(ctx context.Context, server, uri string) (ResourceContent, error) {
	return a.readResource(ctx, server, uri)
}
