package prompt

import (
	"fmt"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

// serverPrompt replaces a prompt that names `/server:prompt` with the MCP server's answer (SPEC
// 13.2), and returns the record for the notebook; nil: the prompt is plain text. Nothing in it is a
// directive, a reference or a link: it is the server's text. References in the arguments are the
// person's.
func (b *build) serverPrompt(p *processed) *SentCommand {
	if b.in.ServerPrompt == nil {
		return nil
	}
	sent, err := b.in.ServerPrompt(p.name, p.arguments, b.in.Foreign != nil && b.in.Foreign("/"+p.name))
	if err != nil {
		if !fault.Is(err, fault.NotFound) {
			b.warn(Warning{Text: fmt.Sprintf("/%s was sent as it stands: %s", p.name, clip.VisibleLine(err.Error(), 500)), Cell: b.in.Cell})
		}
		return nil
	}
	p.take(&sent)
	return &sent
}

// take replaces the prompt with a server's answer.
func (p *processed) take(sent *SentCommand) { p.sent, p.texts[0] = sent, p.arguments }

// fromServer reports whether a text of the prompt is a server's.
func (p *processed) fromServer(piece int) bool {
	return piece == 0 && p.invoked != nil && p.sent != nil && p.sent.Server != ""
}

// sentParts are the parts of a server's prompt; turn is nil for the current prompt.
func (c *SentCommand) sentParts(b *build, turn *HistoryMessage) (parts []chat.Part) {
	source := "/" + c.Name
	for _, part := range c.Parts {
		switch {
		case part.ImageURL != nil:
			b.noteImage(part.ImageURL.URL, imageInfo{source: source, given: true, note: fmt.Sprintf("from the MCP server %s", c.Server)})
		case part.File != nil:
			if why := b.room.Take(part.File); why != "" {
				said := false
				b.leaveOut(source, part.File.Name, why, b.cellOf(turn), &said)
				part = chat.Part{Type: chat.PartText, Text: chat.LeftOut(part.File.Name, why)}
			} else {
				b.sources[part.File] = source
			}
		}
		parts = joined(parts, []chat.Part{part})
	}
	return parts
}
