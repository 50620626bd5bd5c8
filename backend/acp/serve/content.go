package serve

import (
	"encoding/base64"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/lazyregexp"
)

const (
	embeddedBytes = 1 << 20  // the most of a file that is put into a prompt
	imageBytes    = 32 << 20 // the largest image or document that is taken
)

// acceptable returns an error for a prompt that is empty or of an unknown kind.
func acceptable(blocks []acp.ContentBlock) error {
	empty := true
	for _, b := range blocks {
		if b.Text == nil && b.Image == nil && b.Resource == nil && b.ResourceLink == nil {
			return invalid("Could not take the prompt: Mutsumi takes text, images and files, no sound.")
		}
		empty = empty && b.Text != nil && strings.TrimSpace(b.Text.Text) == ""
	}
	if empty {
		return invalid("Could not take the prompt: it is empty.")
	}
	return nil
}

// text turns the content of a prompt into the text of a cell of the notebook at path (SPEC 3, 6): a
// file of the folder becomes a reference, an image is saved as a pasted one is, and other text of
// the editor is put into a fence.
func (one *session) text(path string, blocks []acp.ContentBlock) (string, error) {
	var b composed
	for _, block := range blocks {
		switch {
		case block.Text != nil:
			b.typed(block.Text.Text)
		case block.ResourceLink != nil:
			text, err := one.link(path, block.ResourceLink.Name, block.ResourceLink.Uri)
			if err != nil {
				return "", err
			}
			b.inline(text)
		case block.Resource != nil && block.Resource.Resource.TextResourceContents != nil:
			r := block.Resource.Resource.TextResourceContents
			if reference := one.sameOnDisk(path, r.Uri, r.Text); reference != "" {
				b.inline(reference)
			} else {
				b.block(fenced(nameOf(r.Uri), r.Text))
			}
		case block.Resource != nil && block.Resource.Resource.BlobResourceContents != nil:
			r := block.Resource.Resource.BlobResourceContents
			text, err := one.save(path, nameOf(r.Uri), r.Blob)
			if err != nil {
				return "", err
			}
			b.inline(text)
		case block.Image != nil:
			name := "image"
			if block.Image.Uri != nil {
				name = nameOf(*block.Image.Uri)
			}
			text, err := one.save(path, name, block.Image.Data)
			if err != nil {
				return "", err
			}
			b.inline(text)
		}
	}
	return b.text.String(), nil
}

// composed joins the parts of a prompt.
type composed struct {
	text  strings.Builder
	after string // what the last part was
}

// typed adds a text of the person. Two in a row are paragraphs.
func (c *composed) typed(s string) {
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case c.after == "typed" || c.after == "block":
		c.paragraph()
	case c.after == "inline" && (unicode.IsLetter(first) || unicode.IsDigit(first)):
		c.text.WriteString(" ")
	}
	c.text.WriteString(s)
	c.after = "typed"
}

// inline adds a reference, in the line of the text around it.
func (c *composed) inline(s string) {
	last, _ := utf8.DecodeLastRuneInString(c.text.String())
	switch {
	case c.after == "block":
		c.paragraph()
	case c.after == "inline" || unicode.IsLetter(last) || unicode.IsDigit(last):
		c.text.WriteString(" ")
	}
	c.text.WriteString(s)
	c.after = "inline"
}

func (c *composed) block(s string) {
	c.paragraph()
	c.text.WriteString(s)
	c.after = "block"
}

func (c *composed) paragraph() {
	if so := c.text.String(); so != "" {
		c.text.WriteString(strings.Repeat("\n", max(0, 2-(len(so)-len(strings.TrimRight(so, "\n"))))))
	}
}

// link is the text for an address: a reference, if it is a file or folder inside the folder.
func (one *session) link(path, name, uri string) (string, error) {
	file, lines := one.fileOf(uri)
	if file == "" {
		return plain("[" + clip.VisibleLine(name, 200) + "](" + clip.VisibleLine(uri, 2000) + ")"), nil
	}
	in, err := one.ws.InsertPaths(path, []string{file})
	if err != nil {
		return "", err
	}
	if in.Text == "" {
		return plain(clip.VisibleLine(uri, 2000)), nil
	}
	if inner, ok := strings.CutSuffix(in.Text, "]"); ok && strings.HasPrefix(in.Text, "@[") && lines != "" {
		return inner + lines + "]", nil
	}
	return in.Text, nil
}

// lineRange is the end of an address that names lines: #L10, #L10:20, #L10-L20.
var lineRange = lazyregexp.New(`^L(\d{1,9})(?:[:-]L?(\d{1,9}))?$`)

// fileOf returns the absolute path of an address that leads into the folder and to something that
// is there, and the lines that it names as a reference writes them (":10:20"); "": it does not.
func (one *session) fileOf(uri string) (file, lines string) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", ""
	}
	if m := lineRange.FindStringSubmatch(u.Fragment); m != nil {
		if lines = ":" + m[1]; m[2] != "" {
			lines += ":" + m[2]
		}
	}
	u.Fragment, u.RawQuery = "", ""
	file, err = files.FromURI(u.String())
	if err != nil || !filepath.IsAbs(file) {
		return "", ""
	}
	folder, err := filepath.EvalSymlinks(one.ws.Folder())
	if err != nil {
		return "", ""
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", ""
	}
	if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) {
		return "", ""
	}
	return file, lines
}

// sameOnDisk returns the reference to the file, or its lines, that an embedded text is a copy of; "":
// it is another text, such as one that is not saved yet.
func (one *session) sameOnDisk(path, uri, text string) string {
	file, lines := one.fileOf(uri)
	if file == "" {
		return ""
	}
	reference, err := one.link(path, "", uri)
	if err != nil || !strings.HasPrefix(reference, "@[") {
		return ""
	}
	all, ok := smallFile(file)
	if !ok {
		return ""
	}
	if lines == "" && all == text {
		return reference
	}
	if lines != "" && linesOf(all, lines) == strings.TrimSuffix(text, "\n") {
		return reference
	}
	return ""
}

// linesOf returns the lines of a text that a reference names, ":10" or ":10:20".
func linesOf(text, lines string) string {
	first, last, two := strings.Cut(lines[1:], ":")
	from, err := strconv.Atoi(first)
	to := from
	if two && err == nil {
		to, err = strconv.Atoi(last)
	}
	all := strings.Split(text, "\n")
	if err != nil || from < 1 || to < from || to > len(all) {
		return "\x00" // no text
	}
	return strings.Join(all[from-1:to], "\n")
}

// smallFile reads a regular file of at most embeddedBytes.
func smallFile(file string) (text string, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > embeddedBytes {
		return "", false
	}
	raw, err := io.ReadAll(io.LimitReader(f, embeddedBytes))
	return string(raw), err == nil
}

// save saves an image or a document as the window does with a pasted one, and returns its link.
func (one *session) save(path, name, data string) (string, error) {
	if len(data) > imageBytes/3*4 {
		return "", invalid("Could not take %s: it has more than 32 MB.", name)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", invalid("Could not take %s: its bytes are no base64.", name)
	}
	in, err := one.ws.InsertBytes(path, name, raw)
	if err != nil {
		return "", err
	}
	return in.Text, nil
}

// nameOf is the name of what an address leads to.
func nameOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Path == "" {
		return clip.VisibleLine(uri, 200)
	}
	name := path.Base(u.Path)
	if u.Fragment != "" {
		name += "#" + u.Fragment
	}
	return clip.VisibleLine(name, 200)
}

// directive is what is more than text in a prompt (SPEC 2, 3, 6): references, directives, images.
var directive = lazyregexp.New(`@[\[{]|!\[`)

// plain is a text of the editor in which nothing is a reference, a directive or an image: the person
// did not type it. Each gets a space.
func plain(s string) string {
	return directive.ReplaceAllStringFunc(s, func(found string) string { return found[:1] + " " + found[1:] })
}

// fenced is a text in a block of code, with its name above.
func fenced(name, text string) string {
	safe := plain(text)
	fence := fenceFor(safe)
	note := ""
	if safe != text {
		note = " (in it, each @ and ! before a bracket has a space after it)"
	}
	return plain(name) + note + ":\n\n" + fence + "\n" + strings.TrimSuffix(safe, "\n") + "\n" + fence
}

// fenceFor returns a fence that does not occur in a text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
