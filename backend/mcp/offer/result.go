package offer

import (
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/tool"
)

// maxImages is how many images of one result a model gets.
const maxImages = 10

// Image prepares an image for a model, and describes it.
type Image func(name string, data []byte) (chat.Part, string, error)

// ResultOf converts a server's answer to the result of a tool (SPEC 13.1). Its text is as hostile
// as before, but nothing in it is hidden; its images become parts. It names what a model cannot
// take. image may be nil: then images are only named.
func ResultOf(r client.Result, image Image) tool.Result {
	out := result{Result: tool.Result{IsError: r.IsError}}
	var text []string
	texts := false
	for _, p := range r.Parts {
		switch p.Kind {
		case client.Text:
			texts = true
			if p.URI != "" {
				text = append(text, "["+short(p.URI)+"]")
			}
			text = append(text, clip.Visible(p.Text))
		case client.Image:
			text = append(text, out.addImage(p, image))
		case client.Link:
			text = append(text, fmt.Sprintf("[resource %s: %s]", short(p.Text), short(p.URI)))
		default:
			text = append(text, fmt.Sprintf("[%s %s of %d bytes, which cannot be shown]", p.Kind, short(p.MIME), len(p.Data)))
		}
	}
	if !texts && len(r.Structured) > 0 {
		text = append(text, clip.Visible(string(r.Structured)))
	}
	out.Content = strings.Join(text, "\n")
	if strings.TrimSpace(out.Content) == "" {
		out.Content = "(The tool returned nothing.)"
		if r.IsError {
			out.Content = "The tool failed without saying why. Check the arguments, or go on without it."
		}
	}
	return out.Result
}

type result struct{ tool.Result }

// addImage adds an image, and returns the text that represents it.
func (r *result) addImage(p client.Part, image Image) string {
	name := fmt.Sprintf("image %d", len(r.Images)+1)
	if image == nil || len(r.Images) == maxImages {
		return fmt.Sprintf("[%s of %d bytes, which is not shown]", short(p.MIME), len(p.Data))
	}
	part, about, err := image(name, p.Data)
	if err != nil {
		return fmt.Sprintf("[%s of %d bytes, which cannot be shown: %s]", short(p.MIME), len(p.Data), clip.VisibleLine(err.Error(), 200))
	}
	r.Images = append(r.Images, part)
	return fmt.Sprintf("[%s: %s]", name, about)
}

// short shortens a name or an address of a server to fit in a line.
func short(s string) string { return clip.VisibleLine(s, 200) }
