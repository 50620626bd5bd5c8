package prompt

import (
	"cmp"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/tokens"
)

// imageInfo describes an image that became a data URI.
type imageInfo struct {
	source        string
	width, height int
	note          string
	given         bool // its source leads to no file
}

// noteImage remembers where a data URI came from, for its part.
func (b *build) noteImage(url string, info imageInfo) {
	if b.imageOf == nil {
		b.imageOf = map[string]imageInfo{}
	}
	b.imageOf[url] = info
}

// tokens counts a text.
func (b *build) tokens(p *Part, text string) {
	if b.in.OnlyMessages {
		return
	}
	n, exact := b.count.Text(text)
	p.Tokens += n
	p.Estimated = p.Estimated || !exact
}

func (b *build) part(p Part) {
	if !b.in.OnlyMessages {
		b.res.Parts = append(b.res.Parts, p)
	}
}

// system adds the system message (SPEC 5.1), the role of the agent's kind at
// its end.
func (b *build) system() {
	text := systemText(identity{
		name: b.in.Meta.Name, workspace: b.roots.Workspace(), allowed: b.res.AllowedURIs, child: b.res.IsSubAgent,
		asks: b.in.Asks, versioned: b.in.Placement == Versioned, now: b.in.Now, os: b.in.OS,
	})
	role := roleText(b.in.Role)
	if role != "" {
		text += "\n\n"
	}
	skills := b.skillsText()
	p := Part{ID: "system:system", Kind: KindSystem, Source: "system", Bytes: len(text), End: len(text)}
	b.tokens(&p, text)
	b.part(p)
	end := len(text)
	if role != "" {
		source := cmp.Or(b.in.Role.Source, b.in.Role.Name)
		p = Part{ID: "role:" + source, Kind: KindRole, Source: source, Bytes: len(role), Start: end, End: end + len(role)}
		b.tokens(&p, role)
		b.part(p)
		end += len(role)
	}
	for i, s := range skills {
		p = Part{ID: "system:skills", Kind: KindSystem, Source: "skills", Bytes: len(s), Start: end, End: end + len(s)}
		if i > 0 {
			k := b.skills[i-1]
			p.ID, p.Kind, p.Source = SkillID(k.Name), KindSkill, k.Name
		}
		b.tokens(&p, s)
		b.part(p)
		end += len(s)
	}
	b.res.Messages = append(b.res.Messages, chat.Message{Role: chat.System, Content: chat.Text(text + role + strings.Join(skills, ""))})
}

// history adds an earlier message; content is its sent content.
func (b *build) history(i int, content chat.Content) {
	turn := &b.in.History[i]
	m := turn.Message
	m.Content = content
	piece, start, replayed := 0, 0, b.replays(turn)
	if replayed {
		m.Content, piece, start = withBlock(content, turn.Sent.Block)
	}
	b.res.Messages = append(b.res.Messages, m)
	b.contentParts(KindHistory, string(m.Role), turn.Cell, content, b.notes[i])
	if replayed {
		b.replayedParts(i, piece, start)
	}
}

// contentParts adds the parts of the last message: one for each piece; note is that of
// its first text.
func (b *build) contentParts(kind Kind, source, cell string, c chat.Content, note string) {
	if b.in.OnlyMessages {
		return
	}
	at := len(b.res.Messages) - 1
	one := func(piece int, text string) {
		p := Part{
			ID: string(kind) + ":" + source, Kind: kind, Source: source, Cell: cell,
			Bytes: len(text), Message: at, Piece: piece, End: len(text), Note: note,
		}
		note = ""
		b.tokens(&p, text)
		b.part(p)
	}
	if len(c.Parts) == 0 {
		one(0, c.String())
		return
	}
	for i, piece := range c.Parts {
		if piece.File != nil {
			b.part(b.documentPart(piece.File, cell, at, i))
			continue
		}
		if piece.Type != chat.PartImage || piece.ImageURL == nil {
			one(i, piece.Text)
			continue
		}
		info, ok := b.imageOf[piece.ImageURL.URL]
		if !ok {
			info = imageInfo{source: clip.Text(piece.ImageURL.URL, 120)}
		}
		b.part(Part{
			ID: "image:" + info.source, Kind: KindImage, Source: info.source, Cell: cell, Note: info.note,
			Bytes: len(piece.ImageURL.URL), Tokens: tokens.Image(b.in.Model, info.width, info.height), Estimated: !b.in.Tokens.Exact() || info.width == 0,
			Message: at, Piece: i, Given: info.given || !ok,
		})
	}
}

// prompt adds the prompt with the block, or the block in a separate message before it (SPEC 5.5).
// note names the origin of its text.
func (b *build) prompt(c chat.Content, note string) {
	own := c
	text, piece := endOf(c)
	before := text + "\n\n"
	if b.in.Placement == MessageBefore {
		before = ""
	}
	blk := writeBlock(before, b.rules.list, b.files.list, b.tools.list)
	if blk != nil && b.in.Placement == MessageBefore {
		b.res.Messages = append(b.res.Messages, chat.Message{Role: chat.User, Content: chat.LateText(blk)})
		b.blockParts(blk, 0, 0)
		blk = nil
	}
	if blk != nil {
		c = withEnd(c, piece, chat.LateText(blk))
	}
	b.res.Messages = append(b.res.Messages, chat.Message{Role: chat.User, Content: c})
	b.contentParts(KindPrompt, "prompt", b.in.Cell, own, note)
	if blk != nil {
		b.blockParts(blk, piece, len(before))
	}
	if b.in.Placement == Versioned {
		b.recordBlock(blk)
	}
	if own.IsEmpty() && !b.in.Prompt.IsEmpty() {
		b.warn(Warning{Text: "the prompt is empty once its directives are carried out", Cell: b.in.Cell})
	}
}

// withBlock appends a block to a content and returns where it begins.
func withBlock(c chat.Content, block string) (out chat.Content, piece, start int) {
	text, piece := endOf(c)
	return withEnd(c, piece, chat.Text(text+"\n\n"+block)), piece, len(text) + 2
}

// endOf returns the last text of a content and its piece number: a new one after an image.
func endOf(c chat.Content) (text string, piece int) {
	if c.Parts == nil {
		return c.String(), 0
	}
	last := len(c.Parts) - 1
	if last < 0 || c.Parts[last].Type != chat.PartText {
		return "", last + 1
	}
	return c.Parts[last].Text, last
}

// withEnd returns a content with another text at the place that endOf names.
func withEnd(c chat.Content, piece int, end chat.Content) chat.Content {
	if c.Parts == nil {
		return end
	}
	parts := append([]chat.Part(nil), c.Parts...)
	if piece == len(parts) {
		parts = append(parts, chat.Part{Type: chat.PartText})
	}
	parts[piece].Text = end.String()
	return chat.Content{Parts: parts}
}

// blockParts adds the parts of the block, which starts at a place of the last
// message. The frame spans the whole block; its bytes and tokens are its own.
func (b *build) blockParts(blk *block, piece, start int) {
	at := len(b.res.Messages) - 1
	if b.in.OnlyMessages {
		return
	}
	text := blk.text()
	frame := Part{
		ID: "frame:content_reference", Kind: KindFrame, Source: "content_reference", Bytes: len(text),
		Message: at, Piece: piece, Start: start, End: start + len(text),
	}
	var between strings.Builder
	end := 0
	for _, s := range blk.spans {
		e := s.entry
		p := Part{
			ID: e.id(), Kind: e.kind, Source: e.key, Cell: e.cell, Note: e.note, State: e.state, Version: e.version,
			Bytes: s.end - s.start, Message: at, Piece: piece, Start: start + s.start, End: start + s.end,
		}
		b.tokens(&p, text[s.start:s.end])
		frame.Bytes -= p.Bytes
		b.part(p)
		between.WriteString(text[end:s.start])
		end = s.end
	}
	between.WriteString(text[end:])
	b.tokens(&frame, between.String())
	b.part(frame)
}

// leftOut adds the parts that are shown but not sent.
func (b *build) leftOut() {
	for _, e := range b.left {
		b.part(Part{ID: e.id(), Kind: e.kind, Source: e.key, Cell: e.cell, Note: e.note, State: e.state, Message: -1})
	}
}

// compare compares each entry with the notebook's record of the previous request.
func (b *build) compare() {
	last := map[string]string{}
	for _, item := range b.in.Meta.ContextItems {
		if item.Cell != "" {
			e := entry{kind: Kind(item.Type), key: item.Key, args: compact(item.Metadata)}
			last[e.id()] = item.SHA256
		}
	}
	for _, s := range b.entrySets() {
		for _, e := range s.list {
			e.sum = sum(e.content)
			switch last[e.id()] {
			case e.sum:
				e.state = StateSame
			case "":
				e.state = StateNew
			default:
				e.state = StateChanged
			}
		}
	}
}

func (b *build) entrySets() []*entrySet { return []*entrySet{&b.rules, &b.files, &b.tools} }

// remember makes the context items to store: pinned ones unchanged, and for each entry what was
// sent of it.
func (b *build) remember() {
	var items []ContextItem
	for _, item := range b.in.Meta.ContextItems {
		if item.Cell == "" {
			items = append(items, item)
		}
	}
	for _, s := range b.entrySets() {
		for _, e := range s.list {
			cell := cmp.Or(e.cell, b.in.Cell, "prompt")
			items = append(items, ContextItem{Type: string(e.kind), Key: e.key, Metadata: e.args, Cell: cell, SHA256: e.sum})
		}
	}
	b.res.Metadata.ContextItems = items
}
