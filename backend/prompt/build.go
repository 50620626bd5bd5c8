package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
	"mutsumi/backend/media"
	"mutsumi/backend/tokens"
)

// build is the state of one Build.
type build struct {
	ctx    context.Context
	in     Input
	res    Result
	roots  *files.Roots
	asm    *assemble.Assembler
	macros *macro.Table // live: of the notebook, then of the prompt, then of rules and files
	images *media.Loader
	off    map[string]bool

	rules, files, tools entrySet
	skills              []Skill               // that are offered
	urls                map[string]string     // by target of an image link; "" stays text
	documents           map[string]*document  // by target of a link
	sources             map[*chat.File]string // of documents: their links' targets
	room                chat.Room             // for documents
	noted               map[string]bool       // ids in left that are switched off
	left                []*entry              // switched off or inert: shown, not sent
	imageOf             map[string]imageInfo  // by data URI
	lastTurn            map[string]int        // with Versioned: the last earlier prompt whose block holds an entry
	again               map[string]bool       // with Versioned: entries that are sent in a new version
	notes               map[int]string        // where the text of an earlier prompt came from
	count               *tokens.Count
	resources           map[string]*resource // that are sent, by server:uri
}

func newBuild(ctx context.Context, in Input) (*build, error) {
	b := &build{
		ctx: ctx, in: in, off: map[string]bool{}, noted: map[string]bool{}, urls: map[string]string{}, documents: map[string]*document{},
		sources: map[*chat.File]string{}, notes: map[int]string{}, resources: map[string]*resource{}, room: chat.Room{Documents: in.Documents}, count: in.Tokens.Begin(),
	}
	b.res = Result{
		AllowedURIs: in.Meta.AllowedURIs, IsSubAgent: in.Meta.ParentID != "",
		Messages: []chat.Message{}, Parts: []Part{}, Warnings: []Warning{},
	}
	if b.res.AllowedURIs == nil {
		b.res.AllowedURIs = []string{in.Workspace}
	}
	for _, id := range in.Meta.ContextOff {
		b.off[id] = true
	}
	b.roots = in.Roots
	if b.roots == nil {
		if err := b.openRoots(); err != nil {
			return nil, err
		}
	}
	b.macros = macro.New(in.Meta.MacroContext)
	b.asm = assemble.New(assemble.Config{
		Roots: b.roots, Macros: b.macros, Tools: in.Tools, Resources: in.Resources, Trusted: in.Trusted, Preview: in.Preview, Cache: in.Cache,
	})
	b.images = &media.Loader{Roots: b.roots, Limits: in.ImageLimits, Cache: in.Images, Remote: in.RemoteImages, Folder: in.Folder}
	return b, nil
}

// openRoots opens the valid places: an entry that is not a path must not keep the rest of the
// notebook from being sent.
func (b *build) openRoots() error {
	var usable []string
	for _, uri := range b.res.AllowedURIs {
		if _, err := files.New(b.in.Workspace, []string{uri}); fault.Is(err, fault.Invalid) {
			b.warn(Warning{Text: fmt.Sprintf("allowed_uris: %s; it allows nothing", err)})
			continue
		}
		usable = append(usable, uri)
	}
	roots, err := files.New(b.in.Workspace, usable)
	if err != nil {
		return fmt.Errorf("build prompt: %w", err)
	}
	for _, uri := range roots.Missing() {
		b.warn(Warning{Text: fmt.Sprintf("allowed_uris: %s does not exist", uri)})
	}
	b.roots = roots
	return nil
}

func (b *build) run() (Result, error) {
	// The prompt's own directives first: its macros serve rules and files.
	now := b.process(b.in.Prompt, b.macros, b.in.Cell)
	b.res.Metadata.MacroContext = b.macros.Map()
	b.res.Sent.Command = b.command(&now)
	b.ahead(now.texts)
	b.collectRules()
	b.collectSkills()
	b.collectFound()
	b.collectPinned()
	earlier := b.earlier(now.defined)
	typed := texts(b.in.Prompt)
	for i, text := range now.texts {
		moved := i == 0 && now.source() != "" || strings.Count(text, "\n") != strings.Count(typed[i], "\n")
		b.collectPrompt(text, moved, now.foreign(i, b.in.Foreign))
	}
	b.collectNested()
	if err := b.ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("build prompt: %w", err)
	}
	if !b.in.OnlyMessages || b.in.Placement == Versioned {
		b.compare()
		b.remember()
	}
	if b.in.Placement == Versioned {
		b.dropKnown()
	}

	b.res.Messages = slices.Grow(b.res.Messages, len(b.in.History)+3)
	if !b.in.OnlyMessages {
		b.res.Parts = slices.Grow(b.res.Parts, len(b.in.History)+len(b.rules.list)+len(b.files.list)+len(b.tools.list)+8)
	}
	b.system()
	for i := range b.in.History {
		turn := &b.in.History[i]
		content := turn.Message.Content
		if turn.typed() {
			content = earlier[i]
		}
		b.history(i, content)
	}
	b.prompt(b.content(now, b.macros, nil), now.source())
	b.leftOut()
	return b.res, nil
}

// processed is a content after its directives were carried out.
type processed struct {
	content  chat.Content
	texts    []string // of its text pieces, in order
	defined  []string
	*invoked // nil: it is no command
}

func (b *build) process(c chat.Content, t *macro.Table, cell string) processed {
	p := processed{content: c}
	for _, text := range texts(c) {
		r := macro.Process(text, t, macro.Options{Prompt: true})
		for _, w := range r.Warnings {
			b.warn(Warning{Line: w.Line, Text: w.Text, Cell: cell})
		}
		p.texts = append(p.texts, r.Text)
		p.defined = append(p.defined, r.Defined...)
	}
	if len(p.texts) > 0 {
		p.invoked = invocation(c, texts(c)[0], p.texts[0])
	}
	return p
}

// typed reports whether the message is a prompt of a person.
func (t *HistoryMessage) typed() bool { return t.Message.Role == chat.User && !t.Plain }

// earlier scans the earlier prompts again and returns the contents to send.
func (b *build) earlier(here []string) []chat.Content {
	var all []string
	for i := range b.in.History {
		if turn := &b.in.History[i]; turn.typed() {
			all = append(all, texts(turn.Message.Content)...)
		}
	}
	then := macrosOfOld(all, b.macros, b.in.Meta.MacroContext, here)
	out := make([]chat.Content, len(b.in.History))
	warned := len(b.res.Warnings)
	for i := range b.in.History {
		turn := &b.in.History[i]
		if !turn.typed() {
			b.countDocuments(turn)
			continue
		}
		p := b.process(turn.Message.Content, then, turn.Cell)
		then := b.commandOfOld(turn, &p, then)
		// Problems of the directives were reported when the prompt ran.
		b.res.Warnings = b.res.Warnings[:warned]
		for _, text := range p.texts {
			b.collectTurn(turn, text, then)
		}
		out[i] = b.content(p, then, turn)
		if from := p.source(); from != "" {
			b.notes[i] = from
		}
		warned = len(b.res.Warnings)
	}
	return out
}

// content makes the content to send for a prompt: macros replaced, images as parts. It stays a
// string if it was one and contains no image (SPEC 5.6). turn is nil for the current prompt.
func (b *build) content(p processed, t *macro.Table, turn *HistoryMessage) chat.Content {
	if p.content.Parts == nil {
		parts := b.textParts(p, 0, t, turn)
		if len(parts) == 0 {
			return chat.Text("")
		}
		if len(parts) == 1 && parts[0].Type == chat.PartText {
			return chat.Text(parts[0].Text)
		}
		return chat.Content{Parts: parts}
	}
	parts := []chat.Part{}
	n := 0
	for _, part := range p.content.Parts {
		switch part.Type {
		case chat.PartImage:
			if part.ImageURL == nil || !b.linkOff(part.ImageURL.URL, turn) {
				parts = append(parts, part)
			}
			continue
		case chat.PartFile:
			parts = append(parts, b.inside(part, turn)...)
			continue
		}
		parts = append(parts, b.textParts(p, n, t, turn)...)
		n++
	}
	return chat.Content{Parts: parts}
}

// textParts makes the parts to send for a text of a prompt.
func (b *build) textParts(p processed, piece int, t *macro.Table, turn *HistoryMessage) []chat.Part {
	if p.fromServer(piece) {
		return p.sent.sentParts(b, turn)
	}
	return b.withResources(p.texts[piece], t, turn)
}

// split cuts a text at its image links. Neighbouring texts are one part.
func (b *build) split(text string, t *macro.Table, turn *HistoryMessage) []chat.Part {
	pieces := media.Split(text)
	if len(pieces) == 1 && !pieces[0].Image {
		return []chat.Part{{Type: chat.PartText, Text: macro.Expand(text, t)}}
	}
	var parts []chat.Part
	var run strings.Builder // neighbouring texts
	flush := func() {
		if run.Len() > 0 {
			parts = append(parts, chat.Part{Type: chat.PartText, Text: run.String()})
			run.Reset()
		}
	}
	for _, piece := range pieces {
		if piece.Image {
			target := macro.Expand(piece.Target, t)
			if url := b.image(target, turn); url != "" {
				flush()
				parts = append(parts, chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: url, Detail: "auto"}})
				continue
			}
			if doc := b.documents[target]; doc != nil && !b.linkOff(target, turn) {
				part := b.document(doc, macro.Expand(piece.Text, t), media.DocumentName(target, piece.Alt), turn)
				if part.Type == chat.PartText {
					run.WriteString(part.Text)
					continue
				}
				flush()
				parts = append(parts, part)
				continue
			}
		}
		run.WriteString(macro.Expand(piece.Text, t))
	}
	flush()
	return parts
}

// image returns the address to send for an image link, "" if it stays text. Each
// target is opened once for a build.
func (b *build) image(target string, turn *HistoryMessage) string {
	if b.linkOff(target, turn) {
		return ""
	}
	url, ok := b.urls[target]
	if !ok {
		url = b.openImage(target, turn)
		b.urls[target] = url
	}
	return url
}

// linkOff reports whether the person switched an image or a document off: its link
// stays text then, and one inside the message is left out.
func (b *build) linkOff(target string, turn *HistoryMessage) bool {
	cell := b.cellOf(turn)
	return b.isOff(&entry{kind: KindImage, key: clip.Text(target, 120), cell: cell}) ||
		b.isOff(&entry{kind: KindDocument, key: documentKey(target), cell: cell})
}

func (b *build) openImage(target string, turn *HistoryMessage) string {
	cell := b.cellOf(turn)
	low := strings.ToLower(target[:min(len(target), 8)])
	if strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") {
		if b.in.RemoteImages {
			return target
		}
		return ""
	}
	p, err := b.images.Load(target)
	if err != nil {
		b.warn(Warning{File: clip.Text(target, 120), Text: "the " + media.What(target) + " is not sent: " + err.Error(), Cell: cell})
		return ""
	}
	if p.Format == media.PDF {
		b.documents[target] = &document{source: documentKey(target), Prepared: p}
		return ""
	}
	if p.Note != "" && turn == nil { // for an earlier image it was reported then
		b.warn(Warning{File: clip.Text(target, 120), Text: p.Note, Cell: cell})
	}
	url := p.DataURI()
	b.noteImage(url, imageInfo{source: clip.Text(target, 120), width: p.W, height: p.H, note: p.Note, given: strings.HasPrefix(low, "data:")})
	return url
}

func (b *build) warn(w Warning) { b.res.Warnings = append(b.res.Warnings, w) }

func (b *build) warnAll(ws []macro.Warning, cell string) {
	for _, w := range ws {
		b.warn(Warning{File: w.File, Line: w.Line, Text: w.Text, Cell: cell, About: w.About, Outside: w.Outside})
	}
}
