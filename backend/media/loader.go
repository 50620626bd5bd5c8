package media

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image/jpeg"
	"image/png"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/pdf"
)

// Loader opens the image links of one notebook. It is small: make one for each use. It may be used
// by many goroutines.
type Loader struct {
	Roots  *files.Roots // the notebook's allowed places; the folder of pasted images is always added
	Limits Limits       // zero: DefaultLimits
	Cache  *Cache       // shared by all; nil keeps nothing
	Remote bool         // the person allowed http(s) targets: they are sent as addresses
	// Folder is the workspace folder: images pasted into its notebooks can be read, regardless of
	// Roots. "": none.
	Folder string
}

func (l *Loader) limits() Limits {
	if l.Limits == (Limits{}) {
		return DefaultLimits
	}
	return l.Limits
}

// source is a link's target, not read yet.
type source struct {
	name     string // for a person
	document bool   // a file that begins like a PDF document
	key      cacheKey
	read     func() ([]byte, error)
}

// open finds a link's target.
func (l *Loader) open(target string) (source, error) {
	if len(target) >= 5 && strings.EqualFold(target[:5], "data:") {
		return l.openData(target)
	}
	if i := strings.Index(target, "://"); i > 0 && !strings.EqualFold(target[:i], "file") {
		return source{}, fault.New(fault.Invalid, "%s is on another machine: download the image and link the file", clip.Text(target, 120))
	}
	roots, p, err := l.find(target)
	if err != nil {
		return source{}, err
	}
	info, err := roots.Stat(p)
	if err != nil {
		return source{}, err
	}
	s := source{name: path.Base(strings.ReplaceAll(p, `\`, "/"))}
	s.key = cacheKey{source: roots.Workspace() + "\x00" + p, modified: info.ModTime().UnixNano(), bytes: info.Size()}
	head, err := readHead(roots, p)
	s.document = err == nil && pdf.Is(head)
	s.read = func() ([]byte, error) {
		if !s.document {
			return roots.ReadBytes(p, l.limits().FileBytes)
		}
		if info.Size() > DocumentBytes {
			return nil, tooLargeDocument(s.name, info.Size(), DocumentBytes)
		}
		return roots.ReadBytes(p, DocumentBytes)
	}
	return s, nil
}

// find tries a target as it is written, then with percent signs decoded, as
// editors write links; then in the folder of pasted images.
func (l *Loader) find(target string) (*files.Roots, string, error) {
	spellings := []string{target}
	if plain, err := url.PathUnescape(target); err == nil && plain != target && !strings.HasPrefix(strings.ToLower(target), "file:") {
		spellings = append(spellings, plain)
	}
	var first error
	for _, p := range spellings {
		abs, err := "", error(nil)
		if l.Roots != nil {
			if abs, err = l.Roots.Path(p); err == nil {
				return l.Roots, abs, nil
			}
			first = moreHelpful(first, err)
		}
		for _, dir := range readable() {
			pasted, err := files.New(dir, []string{dir})
			if err != nil {
				continue
			}
			if abs, err = pasted.Path(p); err == nil {
				return pasted, abs, nil
			}
			first = moreHelpful(first, err)
		}
		if roots, abs := l.beside(p); roots != nil {
			return roots, abs, nil
		}
	}
	if first == nil {
		first = fault.New(fault.Denied, "%s may not be read", clip.Text(target, 120))
	}
	if p, err := files.FromURI(target); err == nil {
		for _, dir := range []string{TempFolder(), fallbackFolder()} {
			if rel, err := filepath.Rel(dir, p); err == nil && filepath.IsLocal(rel) && fault.Is(first, fault.Denied) && !exists(p) {
				return nil, "", fault.New(fault.NotFound, "%s is gone: the system empties its temporary folder. Paste the image again; with `imageFolder: notebook` in the settings images are kept", filepath.Base(p))
			}
		}
	}
	return nil, "", first
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// moreHelpful keeps the error that helps most: that a file is gone before that
// another place is closed.
func moreHelpful(first, err error) error {
	if first == nil || fault.Is(err, fault.NotFound) && !fault.Is(first, fault.NotFound) {
		return err
	}
	return first
}

func (l *Loader) openData(target string) (source, error) {
	head, body, found := strings.Cut(target[min(5, len(target)):], ",")
	if !found || !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return source{}, fault.New(fault.Invalid, "the data URI %s is damaged: it should be data:image/png;base64,...", clip.Text(target, 120))
	}
	if int64(len(body)) > l.limits().FileBytes*4/3+4 {
		return source{}, fault.New(fault.Invalid, "the data URI is larger than the %s that an image may have", files.Size(l.limits().FileBytes))
	}
	sum := sha256.Sum256([]byte(body))
	s := source{name: "the image in the text", key: cacheKey{source: "data:" + string(sum[:])}}
	s.read = func() ([]byte, error) {
		if i := strings.IndexByte(body, '%'); i >= 0 {
			plain, err := url.PathUnescape(body)
			if err != nil {
				return nil, fault.New(fault.Invalid, "the data URI %s is damaged", clip.Text(target, 120))
			}
			body = plain
		}
		b, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			b, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(body, "="))
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "the data URI %s is damaged: its content is not base64", clip.Text(target, 120))
		}
		return b, nil
	}
	return s, nil
}

// Load opens a link's target and makes it fit for a model, see Prepare and
// PrepareDocument. Targets are file paths (relative to the workspace), file:// URIs and data
// URIs. Errors are Invalid, NotFound or Denied.
func (l *Loader) Load(target string) (Prepared, error) {
	s, err := l.open(target)
	if err != nil {
		return Prepared{}, err
	}
	lim := l.limits()
	s.key.side, s.key.limit = lim.Side, lim.Bytes
	if p, ok := l.Cache.get(s.key); ok {
		return p, nil
	}
	data, err := s.read()
	if err != nil {
		return Prepared{}, err
	}
	var p Prepared
	if format, _ := kind(data); pdf.Is(data) || format == "" && What(s.name) == "document" {
		p, err = PrepareDocument(data, s.name)
	} else {
		p, err = Prepare(data, s.name, lim)
	}
	if err != nil {
		return Prepared{}, err
	}
	l.Cache.put(s.key, p)
	return p, nil
}

// Original returns the bytes that a link leads to, untouched, once they are
// known to be an image: for a viewer.
func (l *Loader) Original(target string) ([]byte, Info, error) {
	s, err := l.open(target)
	if err != nil {
		return nil, Info{}, err
	}
	data, err := s.read()
	if err != nil {
		return nil, Info{}, err
	}
	info, err := Sniff(data, s.name, l.limits())
	return data, info, err
}

// Thumbnail returns a small upright picture of at most side pixels; an image that is no larger is
// returned unchanged. From is the original's size. A document has no picture, only pages and bytes.
func (l *Loader) Thumbnail(target string, side int) (Prepared, error) {
	s, err := l.open(target)
	if err != nil {
		return Prepared{}, err
	}
	return l.small(s, side)
}

func (l *Loader) small(s source, side int) (Prepared, error) {
	s.key.side, s.key.thumb = side, true
	if p, ok := l.Cache.get(s.key); ok {
		return p, nil
	}
	data, err := s.read()
	if err != nil {
		return Prepared{}, err
	}
	var p Prepared
	if pdf.Is(data) {
		if p, err = PrepareDocument(data, s.name); err == nil {
			p.uri = "" // it is not sent
		}
	} else {
		p, err = thumbnail(data, s.name, side, l.limits())
	}
	if err != nil {
		return Prepared{}, err
	}
	l.Cache.put(s.key, p)
	return p, nil
}

// smallBytes is the most that a small picture has: one of few pixels may have a film in it.
const smallBytes = 256 << 10

// SmallPicture returns a small picture of an image in a data URI, as a data URI of at most
// side pixels. "" of anything else: no other place is read.
func SmallPicture(uri string, side int, c *Cache) string {
	l := Loader{Cache: c}
	s, err := l.openData(uri)
	if err != nil {
		return ""
	}
	p, err := l.small(s, side)
	if err != nil || p.Format == PDF || len(p.Data) > smallBytes {
		return ""
	}
	return p.DataURI()
}

func thumbnail(data []byte, name string, side int, lim Limits) (Prepared, error) {
	info, err := Sniff(data, name, lim)
	if err != nil {
		return Prepared{}, err
	}
	w, h := info.Upright()
	p := Prepared{Data: data, Format: info.Format, W: w, H: h, From: info, Bytes: len(data), Turned: info.Turn > 1}
	if max(w, h) <= side && !p.Turned {
		return p, nil
	}
	working.Lock()
	defer working.Unlock()
	src, err := decode(data, info, name)
	if err != nil {
		return Prepared{}, err
	}
	img := fit(src, side, info.Turn)
	b := img.Bounds()
	p.W, p.H, p.Scaled = b.Dx(), b.Dy(), b.Dx() < w || b.Dy() < h
	var buf bytes.Buffer
	if info.Format == JPEG {
		p.Format, err = JPEG, jpeg.Encode(&buf, img, &jpeg.Options{Quality: 82})
	} else {
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		p.Format, err = PNG, enc.Encode(&buf, img)
	}
	if err != nil {
		return Prepared{}, fmt.Errorf("make thumbnail of %s: %w", name, err)
	}
	p.Data = buf.Bytes()
	return p, nil
}

// DataURI encodes an image or a document as it is sent to a model.
func (p Prepared) DataURI() string {
	if p.uri != "" {
		return p.uri
	}
	head := "data:" + p.Format.MIME() + ";base64,"
	b := make([]byte, len(head)+base64.StdEncoding.EncodedLen(len(p.Data)))
	copy(b, head)
	base64.StdEncoding.Encode(b[len(head):], p.Data)
	return string(b)
}

// Note is a note about one image of a prompt.
type Note struct {
	Target string // as in the link, shortened
	Text   string // for a person
	Err    error  // why the image is not sent; nil if it is
}

// Parts makes the content of a message from a prompt: a string if it has no image, otherwise parts
// in the order of the text, images with detail "auto" (SPEC 5.6). A link that cannot be followed,
// and an http(s) one unless Remote, stays text; a note says why.
func (l *Loader) Parts(text string) (chat.Content, []Note) {
	pieces := Split(text)
	var parts []chat.Part
	var notes []Note
	images := 0
	addText := func(s string) {
		if n := len(parts); n > 0 && parts[n-1].Type == chat.PartText {
			parts[n-1].Text += s
			return
		}
		parts = append(parts, chat.Part{Type: chat.PartText, Text: s})
	}
	for _, piece := range pieces {
		if !piece.Image {
			addText(piece.Text)
			continue
		}
		uri, note := l.piece(piece.Target)
		if note.Text != "" {
			notes = append(notes, note)
		}
		if uri == "" {
			addText(piece.Text)
			continue
		}
		images++
		if strings.HasPrefix(uri, "data:"+PDF.MIME()) {
			parts = append(parts, chat.Part{Type: chat.PartFile, File: &chat.File{Name: DocumentName(piece.Target, piece.Alt), Data: uri}})
			continue
		}
		parts = append(parts, chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: uri, Detail: "auto"}})
	}
	if images == 0 {
		return chat.Text(text), notes
	}
	return chat.Content{Parts: parts}, notes
}

// piece returns what to send for a target, "" to leave the text as it is.
func (l *Loader) piece(target string) (string, Note) {
	if isRemote(target) {
		if l.Remote {
			return target, Note{}
		}
		return "", Note{Target: clip.Text(target, 120), Text: clip.Text(target, 120) + " is left as text: images from the network are not allowed in the settings"}
	}
	p, err := l.Load(target)
	if err != nil {
		return "", Note{Target: clip.Text(target, 120), Text: "the image is not sent: " + err.Error(), Err: err}
	}
	return p.DataURI(), Note{Target: clip.Text(target, 120), Text: p.Note}
}

func isRemote(target string) bool {
	low := strings.ToLower(target[:min(len(target), 8)])
	return strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://")
}
