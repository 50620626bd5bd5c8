package pdf_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/pdf"
	"mutsumi/backend/pdf/pdftest"
)

func TestPages(t *testing.T) {
	three := pdftest.Plain(3)
	nested := pdftest.File([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 4/Kids [3 0 R 4 0 R]>>",
		"<</Type/Pages/Parent 2 0 R/Count 2/Kids[5 0 R 6 0 R]>>", "<</Kids 7 0 R/Type /Pages/Count 2>>",
		"<</Type/Page /Parent 3 0 R /Title (a \\) b (nested) /Type/Pages)>>", "<</Type /Page % a comment >>\n>>",
		"[8 0 R\n9 0 R]", "<</Type/Page/Annots[<</Type/Annot/Kids[5 0 R]>>]>>", "<</Type/Page>>", "<</Type/Page/Note(in no tree)>>",
	})
	// An update is appended: the second page is taken out of the tree.
	updated := append(bytes.Clone(three), "\n2 0 obj\n<</Type/Pages/Kids[3 0 R 7 0 R]/Count 2>>\nendobj\ntrailer\n<</Size 9/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n"...)
	inner := "<</Type/EmbeddedFile/Length %d>>\nstream\n%s\nendstream"
	attached := pdftest.File([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page>>", fmt.Sprintf(inner, len(three), three),
	})
	for name, c := range map[string]struct {
		data []byte
		want pdf.Info
	}{
		"one page":                     {pdftest.Plain(1), pdf.Info{Pages: 1, Known: true}},
		"many pages":                   {pdftest.Plain(700), pdf.Info{Pages: 700, Known: true}},
		"a compressed stream":          {pdftest.Packed(250), pdf.Info{Pages: 250, Known: true}},
		"a tree, and a list elsewhere": {nested, pdf.Info{Pages: 4, Known: true}},
		"an update":                    {updated, pdf.Info{Pages: 2, Known: true}},
		"a document inside":            {attached, pdf.Info{Pages: 1, Known: true}},
		"line ends of a Mac":           {bytes.ReplaceAll(three, []byte("\n"), []byte("\r")), pdf.Info{Pages: 3, Known: true}},
		"zeros at the end":             {append(bytes.Clone(three), make([]byte, 9000)...), pdf.Info{Pages: 3, Known: true}},
		"no index":                     {bytes.Replace(three, []byte("/Root 1 0 R"), nil, 1), pdf.Info{Pages: 3, Known: true}},
		"no catalog":                   {bytes.Replace(three, []byte("/Catalog"), []byte("/Nothing"), 1), pdf.Info{Pages: 3, Known: true}},
		"encrypted":                    {bytes.Replace(three, []byte("/Size"), []byte("/Encrypt 9 0 R/Size"), 1), pdf.Info{Pages: 3, Known: true, Encrypted: true}},
		"encrypted objects":            {bytes.Replace(pdftest.Packed(4), []byte("/Root"), []byte("/Encrypt<</V 5>>/Root"), 1), pdf.Info{Pages: 4, Known: true, Encrypted: true}},
		"no pages":                     {pdftest.Plain(0), pdf.Info{Known: true}},
		"cut in the middle":            {three[:len(three)-400], pdf.Info{Pages: 2, Known: true, Cut: true}},
		"cut in a stream":              {pdftest.Packed(90)[:200], pdf.Info{Known: true, Cut: true}},
		"only the first line":          {[]byte("%PDF-1.7\n"), pdf.Info{Known: true, Cut: true}},
		"nothing":                      {nil, pdf.Info{Known: true, Cut: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pdf.Read(c.data); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// Whatever a document contains, it is examined in time limited by its size, and a stream that
// unpacks to gigabytes is not unpacked.
func TestHostileDocuments(t *testing.T) {
	const size = 4 << 20
	loop := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 2 0 R]>>", "<</Type/Pages/Kids[2 0 R 3 0 R 4 0 R 4 0 R]>>", "<</Type/Page>>"}
	fan := []string{"<</Type/Catalog/Pages 2 0 R>>"}
	for i := range 60 { // each level refers to the next one twice: 2^60 ways down
		fan = append(fan, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R %d 0 R]>>", i+3, i+3))
	}
	fan = append(fan, "<</Type/Page>>")
	bomb := pdftest.Deflate(make([]byte, 200<<20))
	many := func(piece string) []byte {
		return pdftest.File([]string{"<</Type/Catalog/Pages 2 0 R>>", strings.Repeat(piece, size/len(piece))})
	}
	sameOffset := strings.Repeat("7 0 ", 200_000)
	for name, c := range map[string]struct {
		data []byte
		want pdf.Info
	}{
		"a loop in the tree":         {pdftest.File(loop), pdf.Info{Pages: 1, Known: true}},
		"2^60 ways to one page":      {pdftest.File(fan), pdf.Info{Pages: 1, Known: true}},
		"a tree of itself":           {pdftest.File([]string{"<</Type/Catalog/Pages 1 0 R>>"}), pdf.Info{Known: true}},
		"a stream of zeros":          {pdftest.Stream(bomb, 3, 100, "/Filter/FlateDecode"), pdf.Info{}},
		"many streams of zeros":      {bytes.Repeat(pdftest.Stream(bomb, 3, 100, "/Filter/FlateDecode"), 8), pdf.Info{}},
		"texts that never end":       {many("1 0 obj<</A("), pdf.Info{}},
		"dictionaries in each other": {many("1 0 obj<</A "), pdf.Info{Known: true}},
		"arrays in each other":       {many("["), pdf.Info{Known: true}},
		"only the word":              {many("obj"), pdf.Info{Known: true}},
		"a million objects":          {many("9 0 obj 1 endobj "), pdf.Info{Known: true}},
		"pages in no tree":           {numbered(size), pdf.Info{Known: true, Pages: 105010}},
		"streams without an end":     {many("9 0 obj<<>>stream "), pdf.Info{Known: true}},
		"a comment without end":      {many("9 0 obj<<%"), pdf.Info{}},
		"trailers only":              {many("trailer<<"), pdf.Info{Known: true}},
		"one offset for all":         {pdftest.Stream(pdftest.Deflate([]byte(sameOffset+"<<"+strings.Repeat("/A 1 ", 100_000)+">>")), 200_000, len(sameOffset), "/Filter/FlateDecode"), pdf.Info{}},
		"another filter":             {pdftest.Stream([]byte("x"), 3, 1, "/Filter[/ASCII85Decode/FlateDecode]"), pdf.Info{}},
		"a predictor":                {pdftest.Stream([]byte("x"), 3, 1, "/Filter/FlateDecode/DecodeParms<</Predictor 12>>"), pdf.Info{}},
		"numbers beyond all":         {pdftest.Stream([]byte("x"), 1<<30, 1<<30, "/Length 99999999999999999999"), pdf.Info{Known: true}},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			if got := pdf.Read(c.data); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("took %s", took)
			}
		})
	}
}

// numbered is as many pages in no tree as fit into a size.
func numbered(size int) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/A 1 0 R>>endobj\n", i)
	}
	b.WriteString("startxref\n0\n%%EOF\n")
	return b.Bytes()
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{"%PDF-1.4\n": true, "<!doctype html>": false, "": false, " %PDF-1.4": false, "\x89PNG": false} {
		if pdf.Is([]byte(text)) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pdftest.Plain(2))
	f.Add(pdftest.Packed(2))
	f.Add(pdftest.Plain(2)[:200])
	f.Add([]byte("%PDF-1.7\n1 0 obj<</Type/Pages/Kids[1 0 R 2 0 R]/Length 99>>stream\r\nendstream trailer<</Root 1 0 R>>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		info := pdf.Read(data)
		if info.Pages < 0 || info.Pages > 0 && !info.Known || info.Pages > 1000*(len(data)+1) {
			t.Errorf("%+v of %d bytes", info, len(data))
		}
		if !bytes.Equal(before, data) {
			t.Error("the document was changed")
		}
		if again := pdf.Read(data); again != info {
			t.Errorf("%+v, then %+v", info, again)
		}
	})
}

// The floor is one pass over all bytes: the hash for the record of requests, which is computed
// anyway.
func BenchmarkRead(b *testing.B) {
	scan := pdftest.File(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page>>",
	}, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", 16<<20, bytes.Repeat([]byte{0x8f, 'o', 'b', 0x11}, 4<<20))))
	for _, c := range []struct {
		name string
		data []byte
	}{{"plain of 600 pages", pdftest.Plain(600)}, {"packed of 600 pages", pdftest.Packed(600)}, {"picture of 16 MB", scan}, {"100,000 pages", numbered(4 << 20)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.data)))
			b.ReportAllocs()
			for b.Loop() {
				pdf.Read(c.data)
			}
		})
		b.Run(c.name+": floor", func(b *testing.B) {
			b.SetBytes(int64(len(c.data)))
			for b.Loop() {
				sha256.Sum256(c.data)
			}
		})
	}
}
