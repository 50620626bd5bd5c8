package request

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mutsumi/backend/assemble"
	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/prompt"
)

// previewWait is how long a preview waits for a server.
const previewWait = 10 * time.Second

// resources reads the resources of MCP servers for a build.
type resources struct {
	of      *Maker
	spec    Spec
	preview bool
}

// resourcesOf returns what reads the resources that the prompt names.
func (m *Maker) resourcesOf(s Spec, preview bool) assemble.Resources {
	if m.with.Servers == nil {
		return nil
	}
	r := resources{m, s, preview}
	if !s.Continues {
		return r
	}
	again := replayResources{resources: r}
	json.Unmarshal(s.sent, &again.sent) // ignore invalid data
	return again
}

func (r resources) Has(server string) bool { return r.of.with.Servers.Has(server) }

func (r resources) Runs(server string) bool {
	return r.mayUse() == nil && r.of.with.Servers.Runs(server)
}

// mayUse returns the reason why the agent uses no servers; nil if it does.
func (r resources) mayUse() error {
	switch {
	case r.of.offers == nil:
		return errors.New("MCP servers are not used in this run: start it with --approve all")
	case !r.spec.Role.OffersServers():
		return fmt.Errorf("agents of the kind %s use no MCP servers", r.spec.Role.Name)
	}
	return nil
}

// Read implements assemble.Resources. A preview starts no server.
func (r resources) Read(ctx context.Context, server, uri string) (assemble.ResourceContent, error) {
	if err := r.mayUse(); err != nil {
		return assemble.ResourceContent{}, err
	}
	if r.preview {
		if !r.of.with.Servers.Runs(server) && r.of.with.Servers.Startable(server) {
			return assemble.ResourceContent{}, assemble.ErrNotRead
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, previewWait, assemble.ErrSilent)
		defer cancel()
	}
	parts, err := r.of.with.Servers.Read(ctx, server, uri)
	if client.IsSilent(err) {
		err = assemble.ErrSilent
	}
	if err != nil {
		return assemble.ResourceContent{}, err
	}
	return contentOf(parts)
}

// contentOf makes content for a prompt from a server's answer: its text with nothing hidden, its
// images and documents, and a line for each of these and for parts that no model accepts.
func contentOf(parts []client.Part) (out assemble.ResourceContent, err error) {
	var text []string
	usable := false
	for _, p := range parts {
		head := ""
		if len(parts) > 1 {
			head = "[" + clip.VisibleLine(p.URI, 200) + "]\n"
		}
		switch data := p.Data; {
		case p.Kind == client.Text:
			usable = true
			text = append(text, head+clip.Visible(p.Text))
		case bytes.HasPrefix(data, []byte("%PDF-")) || isImage(data):
			usable = true
			name := fmt.Sprintf("image %d", len(out.Blobs)+1)
			if bytes.HasPrefix(data, []byte("%PDF-")) {
				name = fmt.Sprintf("document %d", len(out.Blobs)+1)
			}
			out.Blobs = append(out.Blobs, assemble.Blob{Name: name, Data: data})
			text = append(text, fmt.Sprintf("%s[%s: %s, behind the reference]", head, name, files.Size(int64(len(data)))))
		case utf8.Valid(data) && !bytes.ContainsRune(data, 0):
			usable = true
			text = append(text, head+clip.Visible(string(data)))
		default:
			text = append(text, fmt.Sprintf("%s[%s of %s, which cannot be sent]", head, kindOf(p), files.Size(int64(len(data)))))
		}
	}
	if len(parts) == 0 {
		return out, errors.New("the server sent nothing for this address")
	}
	if !usable {
		return out, fmt.Errorf("it is %s of %s, which no model takes", kindOf(parts[0]), files.Size(int64(len(parts[0].Data))))
	}
	out.Text = strings.Join(text, "\n")
	return out, nil
}

func kindOf(p client.Part) string {
	if p.MIME == "" {
		return "data of an unknown kind"
	}
	return clip.VisibleLine(p.MIME, 100)
}

func isImage(data []byte) bool {
	for _, head := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF8"} {
		if bytes.HasPrefix(data, []byte(head)) {
			return true
		}
	}
	return len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP"
}

// replayResources are those of a continued answer: resources read when the prompt was first sent
// are not read again.
type replayResources struct {
	resources
	sent prompt.Sent
}

// Read implements assemble.Resources.
func (r replayResources) Read(ctx context.Context, server, uri string) (assemble.ResourceContent, error) {
	for _, was := range r.sent.Resources {
		switch {
		case was.Key != server+":"+uri:
		case was.IsError:
			_, why, _ := strings.Cut(was.Result, was.Key+": ")
			return assemble.ResourceContent{}, errors.New(why)
		default:
			return replayed(was), nil
		}
	}
	return r.resources.Read(ctx, server, uri)
}

// replayed is a resource as it was sent.
func replayed(was prompt.ResourceRead) assemble.ResourceContent {
	out := assemble.ResourceContent{Text: was.Result}
	images, documents := 0, 0
	for _, p := range was.Parts {
		uri, kind := "", ""
		switch {
		case p.File != nil:
			documents++
			uri, kind = p.File.Data, fmt.Sprintf("document %d", images+documents)
		case p.ImageURL != nil:
			images++
			uri, kind = p.ImageURL.URL, fmt.Sprintf("image %d", images+documents)
		}
		_, encoded, _ := strings.Cut(uri, ";base64,")
		if data, err := base64.StdEncoding.DecodeString(encoded); err == nil && len(data) > 0 {
			out.Blobs = append(out.Blobs, assemble.Blob{Name: kind, Data: data})
		}
	}
	return out
}

// StartServers starts the MCP servers that an agent may use, as its run would, and stores nothing.
// It returns when ctx ends, or after it has waited long enough.
func (m *Maker) StartServers(ctx context.Context, s Spec) {
	if m.offers == nil || !s.Role.OffersServers() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, serversWait)
	defer cancel()
	m.with.Servers.Start(ctx)
}
