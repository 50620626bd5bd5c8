package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/lazyregexp"
)

// hashSeed is for hashes that are compared in this program only.
var hashSeed = maphash.MakeSeed()

// A prompt that is a list of parts is edited as one text, in which a link represents every part
// that is not text: `![image](part:0123456789abcdef)`. The number is made from the part itself, so
// that a link stays valid when it is moved, deleted and restored, or copied to another cell.
var partLink = lazyregexp.New(`!\[[^\]\n]*\]\(part:([0-9a-f]{16})\)`)

// partLinks knows the parts that texts link to, by their numbers.
type partLinks struct {
	parts map[string][]byte
	refs  map[uint64]string // their numbers, by a fast hash
}

// remember returns the number of a part and keeps it for when a text links to it.
// The slow hash is made once: texts with large images are read at each edit.
func (p *partLinks) remember(part []byte) string {
	fast := maphash.Bytes(hashSeed, part)
	ref, ok := p.refs[fast]
	if !ok {
		sum := sha256.Sum256(part)
		ref = hex.EncodeToString(sum[:8])
		p.refs[fast] = ref
		p.parts[ref] = part
	}
	return ref
}

// text returns a prompt's content as it is edited, and remembers its parts.
func (p *partLinks) text(content []byte) string {
	switch {
	case isString(content):
		return unquote(content)
	case isArray(content):
		var b strings.Builder
		elements(content, func(part []byte) bool {
			if isTextPart(part) {
				b.WriteString(unquote(get(part, "text")))
				return true
			}
			ref := p.remember(part)
			label := "image"
			if kind := unquote(get(part, "type")); kind != "image_url" {
				label = strings.Map(plain, kind)
			}
			b.WriteString("![" + label + "](part:" + ref + ")")
			return true
		})
		return b.String()
	case content == nil || isNull(content):
		return ""
	}
	return string(content)
}

// setText returns the content after an edit of old's text. A string stays a string unless the text
// links to a part that the notebook has; a list stays a list. Parts with unchanged text keep all
// their keys.
func (p *partLinks) setText(old []byte, text string) []byte {
	if isArray(old) && p.text(old) == text {
		return old
	}
	var links [][]int
	for _, at := range partLink.FindAllStringSubmatchIndex(text, -1) {
		if p.parts[text[at[2]:at[3]]] != nil {
			links = append(links, at)
		}
	}
	if !isArray(old) && len(links) == 0 {
		return jsontext.AppendString(make([]byte, 0, len(text)+len(text)/16+2), text)
	}
	gaps := textGaps(old)
	var parts [][]byte
	from := 0
	for i := 0; i <= len(links); i++ {
		to := len(text)
		if i < len(links) {
			to = links[i][0]
		}
		parts = append(parts, textParts(gaps, i, text[from:to])...)
		if i < len(links) {
			parts = append(parts, p.parts[text[links[i][2]:links[i][3]]])
			from = links[i][1]
		}
	}
	if len(parts) == 0 {
		parts = append(parts, newTextPart(""))
	}
	return encodeList(parts, messageDepth+1)
}

// plainText returns the prompt, or the text of an answer without a prompt.
func (p *partLinks) plainText(c *cell) string {
	if c.prompt != nil {
		return p.text(get(c.prompt.raw(), "content"))
	}
	var texts []byte
	for _, m := range c.answer {
		if m.role == "assistant" && m.chars() > 0 {
			if len(texts) > 0 {
				texts = append(texts, "\n\n"...)
			}
			texts = append(texts, m.decode().Content.String()...)
		}
	}
	return string(texts)
}

// plain keeps the characters that are allowed in a link's label.
func plain(r rune) rune {
	if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' {
		return r
	}
	return -1
}

func isTextPart(part []byte) bool { return unquote(get(part, "type")) == string(chat.PartText) }

// A gap is the text between two non-text parts.
type gap struct {
	text  string
	parts [][]byte
}

func textGaps(content []byte) []gap {
	gaps := make([]gap, 1)
	elements(content, func(part []byte) bool {
		if !isTextPart(part) {
			gaps = append(gaps, gap{})
			return true
		}
		g := &gaps[len(gaps)-1]
		g.text += unquote(get(part, "text"))
		g.parts = append(g.parts, part)
		return true
	})
	return gaps
}

func textParts(gaps []gap, at int, text string) [][]byte {
	for _, g := range gaps {
		if g.text == text && len(g.parts) > 0 {
			return g.parts
		}
	}
	if text == "" {
		return nil
	}
	if at < len(gaps) && len(gaps[at].parts) == 1 {
		return [][]byte{set(gaps[at].parts[0], messageDepth+2, "text", jsontext.AppendString(nil, text))}
	}
	return [][]byte{newTextPart(text)}
}

func newTextPart(text string) []byte {
	w := newObject(messageDepth + 2)
	w.text("type", string(chat.PartText))
	w.text("text", text)
	return w.end()
}

func appendContent(dst []byte, c chat.Content) []byte {
	switch {
	case c.Parts == nil && c.Null:
		return append(dst, "null"...)
	case c.Parts == nil:
		return c.AppendJSON(dst)
	}
	parts := make([][]byte, len(c.Parts))
	for i, p := range c.Parts {
		if p.Type == chat.PartText {
			parts[i] = newTextPart(p.Text)
			continue
		}
		w := newObject(messageDepth + 2)
		w.text("type", string(p.Type))
		if p.ImageURL != nil {
			image := newObject(messageDepth + 3)
			image.text("url", p.ImageURL.URL)
			image.optional("detail", p.ImageURL.Detail)
			w.value("image_url", image.end())
		}
		if p.File != nil {
			w.value("file", appendFile(p.File))
		}
		parts[i] = w.end()
	}
	return append(dst, encodeList(parts, messageDepth+1)...)
}

// decodeContent reads a content for a model. Parts of kinds that no model API
// of ours takes are left out; the file keeps them.
func decodeContent(raw []byte) chat.Content {
	switch {
	case raw == nil || isNull(raw):
		return chat.Content{Null: true}
	case isString(raw):
		return chat.Text(unquote(raw))
	case !isArray(raw):
		return chat.Text(string(raw))
	}
	c := chat.Content{Parts: []chat.Part{}}
	elements(raw, func(part []byte) bool {
		switch {
		case isString(part):
			c.Parts = append(c.Parts, chat.Part{Type: chat.PartText, Text: unquote(part)})
		case isTextPart(part):
			c.Parts = append(c.Parts, chat.Part{Type: chat.PartText, Text: unquote(get(part, "text"))})
		default:
			if url := imageURL(part); url.URL != "" {
				c.Parts = append(c.Parts, chat.Part{Type: chat.PartImage, ImageURL: &url})
			} else if f := fileOf(part); f != nil {
				c.Parts = append(c.Parts, chat.Part{Type: chat.PartFile, File: f})
			}
		}
		return true
	})
	return c
}

func imageURL(part []byte) chat.ImageURL {
	image := get(part, "image_url")
	if isString(image) {
		return chat.ImageURL{URL: unquote(image)}
	}
	return chat.ImageURL{URL: unquote(get(image, "url")), Detail: unquote(get(image, "detail"))}
}

// appendFile writes a document. Its pages are ours: no server gets them.
func appendFile(f *chat.File) []byte {
	w := newObject(messageDepth + 3)
	w.text("filename", f.Name)
	w.text("file_data", f.Data)
	if f.Pages > 0 {
		w.value("pages", strconv.AppendInt(nil, int64(f.Pages), 10))
	}
	return w.end()
}

// maxPages limits the number of pages that a file may claim for a document.
const maxPages = 100_000

// fileOf reads a part that holds a document; nil: it holds none.
func fileOf(part []byte) *chat.File {
	file := get(part, "file")
	f := &chat.File{Name: unquote(get(file, "filename")), Data: unquote(get(file, "file_data"))}
	if !strings.HasPrefix(f.Data, "data:application/pdf;base64,") {
		return nil
	}
	if n, err := strconv.Atoi(string(get(file, "pages"))); err == nil && n > 0 {
		f.Pages = min(n, maxPages)
	}
	return f
}

// decodeInto reads one of our structs from a value that another program may have written: fields
// that do not fit stay zero.
func decodeInto(raw []byte, v any) {
	if isObject(raw) {
		_ = json.Unmarshal(raw, v) // a field of a wrong type contributes nothing
	}
}
