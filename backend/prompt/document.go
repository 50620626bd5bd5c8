package prompt

import (
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/media"
	"mutsumi/backend/tokens"
)

// document is a PDF document that a link leads to.
type document struct {
	media.Prepared
	source string // as the link was written
	said   bool   // that it is left out, or encrypted
}

// documentKey names a document by the target of its link: whole, but for a data URI.
func documentKey(target string) string {
	if strings.HasPrefix(strings.ToLower(target[:min(len(target), 5)]), "data:") {
		return clip.Text(target, 120)
	}
	return target
}

// helpFor says what a person can do about omitted documents.
func helpFor(why string) string {
	if why == chat.TakesNoDocuments {
		return "Choose another model, or let the agent extract the text with a command such as pdftotext."
	}
	return "Switch off documents of earlier prompts, split this one, or save it with smaller pictures."
}

// document makes the part of a document that a link leads to: the document, or a
// text in its place where it is left out.
func (b *build) document(d *document, written, name string, turn *HistoryMessage) chat.Part {
	cell := b.cellOf(turn)
	f := &chat.File{Name: name, Data: d.DataURI(), Pages: d.Pages}
	if why := b.room.Take(f); why != "" {
		b.leaveOut(d.source, name, why, cell, &d.said)
		return chat.Part{Type: chat.PartText, Text: written + " " + chat.LeftOut(name, why)}
	}
	if d.Note != "" && !d.said && turn == nil { // for an earlier document it was reported then
		d.said = true
		b.warn(Warning{File: d.source, Text: d.Note, Cell: cell})
	}
	b.sources[f] = d.source
	return chat.Part{Type: chat.PartFile, File: f}
}

// leaveOut reports once that a document is not sent, and why.
func (b *build) leaveOut(source, name, why, cell string, said *bool) {
	if *said {
		return
	}
	*said = true
	b.left = append(b.left, &entry{kind: KindDocument, key: source, cell: cell, note: "left out: " + why, state: StateInert})
	help := helpFor(why)
	text := fmt.Sprintf("%s is left out: %s. %s", name, why, help)
	if !b.in.Documents.Taken && b.in.Model != "" {
		text = fmt.Sprintf("%s takes no PDF documents, as its settings say: %s is left out. %s", b.in.Model, name, help)
	}
	b.warn(Warning{File: source, Text: text, Cell: cell})
}

// inside returns what to send for a document inside a message: the document, a text in its place,
// or nothing if the person switched it off.
func (b *build) inside(p chat.Part, turn *HistoryMessage) []chat.Part {
	f := p.File
	if f == nil {
		return nil
	}
	source := sourceOf(f)
	if b.linkOff(source, turn) {
		return nil
	}
	if why := b.room.Take(f); why != "" {
		said := false
		b.leaveOut(source, f.Name, why, b.cellOf(turn), &said)
		return []chat.Part{{Type: chat.PartText, Text: chat.LeftOut(f.Name, why)}}
	}
	return []chat.Part{p}
}

// countDocuments counts the documents that tools read in an earlier turn, as package agent does,
// which omits those that do not fit.
func (b *build) countDocuments(turn *HistoryMessage) {
	for _, p := range turn.Message.Content.Parts {
		if p.File != nil {
			b.room.Take(p.File)
		}
	}
}

// sourceOf names a document inside a message, which comes of no link.
func sourceOf(f *chat.File) string {
	if f.Name == "" {
		return documentKey(f.Data)
	}
	return f.Name
}

// cellOf is the cell of an earlier prompt, or of the current one.
func (b *build) cellOf(turn *HistoryMessage) string {
	if turn == nil {
		return b.in.Cell
	}
	return turn.Cell
}

// documentPart is the part of a document that is sent.
func (b *build) documentPart(f *chat.File, cell string, message, piece int) Part {
	source, linked := b.sources[f]
	if !linked {
		source = sourceOf(f)
	}
	return DocumentPart(f, b.in.Model, Part{Source: source, Cell: cell, Message: message, Piece: piece})
}

// DocumentPart fills in the size of a document in a request to a model. It is not known how a
// server presents it to its model: the tokens are an estimate.
func DocumentPart(f *chat.File, model string, p Part) Part {
	p.ID, p.Kind = string(KindDocument)+":"+p.Source, KindDocument
	p.Bytes, p.Note = len(f.Data), media.Measure(f.Pages, f.Size())
	if !strings.HasSuffix(p.Source, f.Name) { // its name is sent too
		p.Note = f.Name + ", " + p.Note
	}
	p.Tokens, p.Estimated = tokens.Document(model, f.Pages, f.Size()), true
	return p
}
