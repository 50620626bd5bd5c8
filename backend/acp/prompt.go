package acp

import (
	"strings"

	"mutsumi/backend/chat"
)

// introduction precedes the conversation that a new session is told.
const introduction = "This conversation took place before you joined it; the next prompt continues it."

// promptBlocks returns a prompt as an agent takes it. A new session is told the conversation first.
func promptBlocks(name string, can initialized, prompt chat.Content, before string) (blocks []contentBlock) {
	text := func(s string) { blocks = append(blocks, contentBlock{Type: "text", Text: s}) }
	if before != "" {
		text(introduction + "\n\n" + before)
	}
	if prompt.Parts == nil {
		text(prompt.String())
	}
	for _, p := range prompt.Parts {
		switch {
		case p.Type == chat.PartText:
			text(p.Text)
		case p.ImageURL != nil:
			kind, data, is := dataURI(p.ImageURL.URL)
			switch {
			case !is:
				text("[An image is at " + p.ImageURL.URL + ".]")
			case !can.Capabilities.Prompt.Image:
				text("[An image is left out: " + name + " takes none.]")
			default:
				blocks = append(blocks, contentBlock{Type: "image", MIMEType: kind, Data: data})
			}
		case p.File != nil:
			kind, data, is := dataURI(p.File.Data)
			if !is || !can.Capabilities.Prompt.EmbeddedContext {
				text(chat.LeftOut(p.File.Name, name+" takes no PDF documents"))
				continue
			}
			blocks = append(blocks, contentBlock{Type: "resource", Resource: &resource{URI: "attachment:///" + strings.ReplaceAll(p.File.Name, " ", "%20"), MIMEType: kind, Blob: data}})
		}
	}
	if len(blocks) == 0 {
		text("")
	}
	return blocks
}

// dataURI splits a data URI.
func dataURI(s string) (kind, data string, is bool) {
	rest, is := strings.CutPrefix(s, "data:")
	if !is {
		return "", "", false
	}
	return strings.Cut(rest, ";base64,")
}
