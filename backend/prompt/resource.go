package prompt

import (
	"fmt"
	"path"
	"strings"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/macro"
	"mutsumi/backend/media"
	"mutsumi/backend/ref"
)

// ResourceRead is a resource that a prompt had read (SPEC 3.8), as it was sent.
type ResourceRead struct {
	Key     string      `json:"key"`             // server:uri
	Result  string      `json:"result"`          // its text, or why it could not be read
	Parts   []chat.Part `json:"parts,omitempty"` // its images and documents
	IsError bool        `json:"isError,omitempty"`
}

// resource is a resource that is sent.
type resource struct {
	parts     []chat.Part          // images and documents, which follow the reference
	documents map[int]*document    // the parts read for this build, by place
	infos     map[string]imageInfo // of images, by data URI
}

// resourceKey is the resource that a reference of a prompt names; "": none.
func (b *build) resourceKey(r ref.Ref, t *macro.Table) string {
	server, uri, ok := r.Resource()
	if !ok || b.in.Resources == nil || !b.in.Resources.Has(server) {
		return ""
	}
	return server + ":" + macro.Expand(uri, t)
}

// putResource stores a resource that was just read, and returns the record for the notebook.
func (b *build) putResource(item assemble.Item, cell string) ResourceRead {
	e := &entry{kind: KindResource, key: item.Key, content: item.Content, cell: cell}
	got := &resource{infos: map[string]imageInfo{}, documents: map[int]*document{}}
	server, _, _ := strings.Cut(item.Key, ":")
	switch {
	case item.Problem != "":
		e.note = noteProblem
	case item.Content == assemble.ErrNotRead.Error():
		e.note = noteNotRead
	default:
		e.note = fmt.Sprintf("from the MCP server %s", server)
	}
	for _, blob := range item.Blobs {
		if problem := got.add(b, item.Key, blob); problem != "" {
			e.content += "\n[" + blob.Name + " is not sent: " + problem + "]"
			b.warn(Warning{File: clip.Text(item.Key, 120), Text: blob.Name + " is not sent: " + problem, Cell: cell})
		}
	}
	b.resources[item.Key] = got
	b.put(e)
	return ResourceRead{Key: item.Key, Result: e.content, Parts: got.parts, IsError: item.Problem != ""}
}

// add makes a part of an image or a document, or reports why it cannot be one.
func (r *resource) add(b *build, key string, blob assemble.Blob) (problem string) {
	p, err := media.PrepareDocument(blob.Data, blob.Name)
	if err == nil {
		name := media.DocumentName(path.Base(strings.TrimRight(key, "/")), blob.Name)
		r.documents[len(r.parts)] = &document{source: key, Prepared: p}
		r.parts = append(r.parts, chat.Part{Type: chat.PartFile, File: &chat.File{Name: name, Data: p.DataURI(), Pages: p.Pages}})
		return ""
	}
	limits := b.in.ImageLimits
	if limits == (media.Limits{}) {
		limits = media.DefaultLimits
	}
	p, err = media.Prepare(blob.Data, blob.Name, limits)
	if err != nil {
		return clip.VisibleLine(err.Error(), 300)
	}
	url := p.DataURI()
	r.infos[url] = imageInfo{source: key, width: p.W, height: p.H, note: p.Note, given: true}
	r.parts = append(r.parts, chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: url, Detail: "auto"}})
	return ""
}

// earlierResource adds a resource of an earlier prompt. If its reference was typed here, it is read
// again if its server runs; otherwise it is as it was sent then.
func (b *build) earlierResource(turn *HistoryMessage, r ref.Ref, key string) {
	if b.skip(assemble.Resource, key, nil) {
		return
	}
	server, uri, _ := strings.Cut(key, ":")
	if b.in.TypedBefore != nil && b.in.TypedBefore(turn.Cell, r.Inner) && b.in.Resources.Runs(server) {
		content, err := b.asm.Resource(b.ctx, server, uri)
		if err == nil {
			b.putResource(assemble.Item{Type: assemble.Resource, Key: key, Content: content.Text, Blobs: content.Blobs}, turn.Cell)
			return
		}
	}
	for i := range turn.Sent.Resources {
		was := &turn.Sent.Resources[i]
		if was.Key != key {
			continue
		}
		e := &entry{kind: KindResource, key: key, content: was.Result, cell: turn.Cell, note: fmt.Sprintf("from the MCP server %s, as it was sent then", server)}
		if was.IsError {
			e.note = noteProblem
		}
		b.resources[key] = &resource{parts: was.Parts}
		b.put(e)
		return
	}
}

// attached returns the images and documents of a resource that a prompt names.
func (b *build) attached(key string, turn *HistoryMessage) (parts []chat.Part) {
	got := b.resources[key]
	if got == nil || b.off[(&entry{kind: KindResource, key: key}).id()] {
		return nil
	}
	for i, p := range got.parts {
		switch {
		case p.File != nil:
			d := got.documents[i]
			if d == nil {
				d = &document{source: key}
				got.documents = map[int]*document{i: d}
			}
			if why := b.room.Take(p.File); why != "" {
				b.leaveOut(key, p.File.Name, why, b.cellOf(turn), &d.said)
				p = chat.Part{Type: chat.PartText, Text: " " + chat.LeftOut(p.File.Name, why)}
			} else {
				b.sources[p.File] = key
			}
		case p.ImageURL != nil:
			info, known := got.infos[p.ImageURL.URL]
			if !known {
				info = imageInfo{source: key, given: true}
			}
			b.noteImage(p.ImageURL.URL, info)
		}
		parts = append(parts, p)
	}
	return parts
}

// withResources is split for a text that may refer to images and documents of servers, which follow
// their references.
func (b *build) withResources(text string, t *macro.Table, turn *HistoryMessage) []chat.Part {
	var parts []chat.Part
	at := 0
	if len(b.resources) > 0 {
		for _, r := range ref.Find(text) {
			if more := b.attached(b.resourceKey(r, t), turn); len(more) > 0 {
				parts = joined(parts, b.split(text[at:r.End], t, turn))
				parts = joined(parts, more)
				at = r.End
			}
		}
	}
	if at > 0 && at == len(text) {
		return parts
	}
	return joined(parts, b.split(text[at:], t, turn))
}

// joined appends parts, merging neighbouring texts.
func joined(parts, more []chat.Part) []chat.Part {
	for _, p := range more {
		if last := len(parts) - 1; last >= 0 && p.Type == chat.PartText && parts[last].Type == chat.PartText {
			parts[last].Text += p.Text
			continue
		}
		parts = append(parts, p)
	}
	return parts
}
