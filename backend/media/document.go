package media

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/pdf"
)

// PDF is the format of documents, which some models take as they are.
const PDF Format = "pdf"

// DocumentBytes is the maximum size of a document that is read at all: OpenAI's limit for one
// request. Others accept less (package request).
const DocumentBytes = 50 << 20

// tooLargeDocument reports that a document is not read, and what to do.
func tooLargeDocument(name string, size, limit int64) error {
	return fault.New(fault.Invalid, "%s is %s, more than the %s that a document may have: split it, or save it with smaller pictures", name, files.Size(size), files.Size(limit))
}

// PrepareDocument checks a PDF document and returns it whole. One without pages, without its end,
// or too large is Invalid.
func PrepareDocument(data []byte, name string) (Prepared, error) {
	if !pdf.Is(data) {
		_, other := kind(data)
		return Prepared{}, fault.New(fault.Invalid, "%s is %s, not a PDF document", name, other).Because(errNotImage)
	}
	if len(data) > DocumentBytes {
		return Prepared{}, tooLargeDocument(name, int64(len(data)), DocumentBytes)
	}
	info := pdf.Read(data)
	switch {
	case info.Cut:
		return Prepared{}, fault.New(fault.Invalid, "%s is cut off: the end of this PDF document is missing. Download or save it again", name)
	case info.Known && info.Pages == 0:
		return Prepared{}, fault.New(fault.Invalid, "%s is a PDF document without pages, or a damaged one: open it in a viewer and save it again", name)
	}
	p := Prepared{Format: PDF, Pages: info.Pages, Bytes: len(data)}
	if info.Encrypted {
		p.Note = name + " is encrypted: the server may refuse it. Save a copy without a password"
	}
	head := "data:" + PDF.MIME() + ";base64,"
	uri := make([]byte, len(head)+base64.StdEncoding.EncodedLen(len(data)))
	copy(uri, head)
	base64.StdEncoding.Encode(uri[len(head):], data)
	p.uri = string(uri)
	return p, nil
}

// About describes the length and size of the document at a target; ok is false if there is none.
func (l *Loader) About(target string) (about string, ok bool) {
	s, err := l.open(target)
	if err != nil || !s.document {
		return "", false
	}
	data, err := s.read()
	if err != nil {
		return err.Error(), true
	}
	info := pdf.Read(data)
	return Measure(info.Pages, len(data)), true
}

// Measure describes the length and size of a document, for a person: "12 pages, 1.2 MB".
func Measure(pages, bytes int) string {
	size := files.Size(int64(bytes))
	switch pages {
	case 0:
		return size
	case 1:
		return "1 page, " + size
	}
	return fmt.Sprintf("%d pages, %s", pages, size)
}

// What names the intended target of a broken link, by its name: an image or a document.
func What(target string) string {
	if strings.HasSuffix(strings.ToLower(target), ".pdf") {
		return "document"
	}
	return "image"
}

// DocumentName is the name of a document for a model: the name of its file, or the link's text if
// the program chose the file's name.
func DocumentName(target, alt string) string {
	name := ""
	if p, err := files.FromURI(target); err == nil {
		name = path.Base(strings.ReplaceAll(p, `\`, "/"))
	}
	if low := strings.ToLower(target); strings.HasPrefix(low, "data:") || isPasted.MatchString(name) || name == "" {
		name = alt
		if name == "" || name == "image" {
			name = "document"
		}
	}
	if !strings.HasSuffix(strings.ToLower(name), ".pdf") {
		name += ".pdf"
	}
	return name
}
