package media

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/pdf/pdftest"
)

func TestPrepareDocument(t *testing.T) {
	data := pdftest.Packed(12)
	p, err := PrepareDocument(data, "a.pdf")
	if err != nil || p.Format != PDF || p.Pages != 12 || p.Bytes != len(data) || p.Note != "" || p.Format.MIME() != "application/pdf" || p.Format.Ext() != "pdf" {
		t.Errorf("%+v, %v", p, err)
	}
	if want := "data:application/pdf;base64," + base64.StdEncoding.EncodeToString(data); p.DataURI() != want {
		t.Errorf("sent as %.100s", p.DataURI())
	}
	for want, data := range map[string][]byte{
		"x.pdf is an HTML page, not a PDF document": []byte("<!doctype html><p>404"), "x.pdf is text, not": []byte("no"), "x.pdf is empty, not": nil,
		"x.pdf is cut off": pdftest.Plain(2)[:400], "without pages": pdftest.Plain(0), "more than the 50 MB": append([]byte("%PDF-1.7\n"), make([]byte, 60<<20)...),
		"a file of another kind": []byte("\x00\x01%PDF-1.7"),
	} {
		if _, err := PrepareDocument(data, "x.pdf"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
}

func TestDocumentName(t *testing.T) {
	for _, c := range []struct{ target, alt, want string }{
		{"papers/a b.pdf", "the paper", "a b.pdf"},
		{"file:///tmp/%E5%9C%96.PDF", "", "圖.PDF"},
		{"plan.images/doc_12_0123abcd.pdf", "年度報告.pdf", "年度報告.pdf"},
		{"plan.images/doc_12_0123abcd.pdf", "", "document.pdf"},
		{"data:application/pdf;base64,JVBERi0=", "image", "document.pdf"},
		{"data:application/pdf;base64,JVBERi0=", "Report", "Report.pdf"},
		{"x/report", "", "report.pdf"},
		{`C:\papers\a.pdf`, "", "a.pdf"},
	} {
		if got := DocumentName(c.target, c.alt); got != c.want {
			t.Errorf("%s: %q, want %q", c.target, got, c.want)
		}
	}
}

// A document is loaded, kept and described in the same way as an image, and never mistaken for a
// picture.
func TestADocumentIsLoaded(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.pdf", pdftest.Plain(2))
	write("a.png", pdftest.Plain(1))
	write("image.pdf", []byte("\x89PNG\r\n\x1a\n"))
	roots, err := files.New(dir, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	l := &Loader{Roots: roots, Cache: NewCache(1 << 20)}
	for target, pages := range map[string]int{"a.pdf": 2, "a.png": 1} {
		for range 2 {
			p, err := l.Load(target)
			if err != nil || p.Format != PDF || p.Pages != pages || !strings.HasPrefix(p.DataURI(), "data:application/pdf;base64,JVBERi") {
				t.Errorf("%s: %+v, %v", target, p, err)
			}
			small, err := l.Thumbnail(target, 100)
			if err != nil || small.Format != PDF || small.Pages != pages || len(small.Data) != 0 || small.size() != 0 {
				t.Errorf("%s small: %+v, %v", target, small, err)
			}
		}
		if _, _, err := l.Original(target); !errors.Is(err, errNotImage) {
			t.Errorf("%s is shown as a picture: %v", target, err)
		}
		if about, ok := l.About(target); !ok || !strings.HasPrefix(about, map[int]string{1: "1 page, ", 2: "2 pages, "}[pages]) {
			t.Errorf("%s is %q, %v", target, about, ok)
		}
	}
	// Another one in its place is another one.
	time.Sleep(5 * time.Millisecond)
	write("a.pdf", pdftest.Plain(3))
	if p, err := l.Load("a.pdf"); err != nil || p.Pages != 3 {
		t.Errorf("replaced: %+v, %v", p, err)
	}
	if _, err := l.Load("image.pdf"); err == nil || !strings.Contains(err.Error(), "a png image but is damaged") {
		t.Errorf("a picture called .pdf: %v", err)
	}
	if p, err := l.Load("data:application/pdf;base64," + base64.StdEncoding.EncodeToString(pdftest.Plain(4))); err != nil || p.Pages != 4 {
		t.Errorf("a data URI: %+v, %v", p, err)
	}
	if _, ok := l.About("image.pdf"); ok {
		t.Error("a picture is described as a document")
	}
}
