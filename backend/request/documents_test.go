package request_test

import (
	"strings"
	"testing"

	"mutsumi/backend/pdf/pdftest"
	"mutsumi/backend/request"
	"mutsumi/backend/settings"
)

// The limits of documents are those that the makers of models publish.
func TestWhatAModelTakesOfDocuments(t *testing.T) {
	for _, c := range []struct {
		wire         settings.Wire
		documents    bool
		window       int
		taken        bool
		bytes, pages int
		reads        bool
	}{
		{settings.WireChat, false, 0, false, 0, 0, false},
		{settings.WireChat, true, 128_000, true, 50 << 20, 0, true},
		{settings.WireResponses, true, 400_000, true, 50 << 20, 0, true},
		{settings.WireAnthropic, true, 200_000, true, 22.5 * (1 << 20), 100, false},
		{settings.WireAnthropic, true, 1_000_000, true, 22.5 * (1 << 20), 600, true},
		{settings.WireAnthropic, true, 0, true, 22.5 * (1 << 20), 600, true},
	} {
		e := settings.Endpoint{Wire: c.wire, Model: settings.ModelView{Documents: c.documents, ContextTokens: c.window}}
		d := request.DocumentsOf(e)
		if d.Taken != c.taken || d.Bytes != c.bytes || d.Pages != c.pages {
			t.Errorf("%s, %d tokens: %+v", c.wire, c.window, d)
		}
		read := request.DocumentReader(e)
		if (read != nil) != c.taken {
			t.Errorf("%s: a document can be read: %v", c.wire, read != nil)
		}
		if read == nil {
			continue
		}
		part, note, err := read("docs/a.pdf", pdftest.Packed(161))
		if c.reads && (err != nil || part.File.Name != "a.pdf" || part.File.Pages != 161 || !strings.HasPrefix(note, "161 pages, ")) {
			t.Errorf("%s: %+v, %q, %v", c.wire, part, note, err)
		}
		if !c.reads && (err == nil || !strings.Contains(err.Error(), "docs/a.pdf has 161 pages, and at most 100 can be shown. Take the pages that matter out of it")) {
			t.Errorf("%s: %v", c.wire, err)
		}
	}
}
