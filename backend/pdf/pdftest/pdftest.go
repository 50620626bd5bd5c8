// Package pdftest writes small PDF documents for tests.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// Plain returns a document of so many pages, each with its number on it, that every
// viewer opens.
func Plain(pages int) []byte {
	var kids strings.Builder
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", ""}
	for i := range pages {
		page := len(objects) + 1
		fmt.Fprintf(&kids, "%d 0 R ", page)
		text := fmt.Sprintf("BT /F1 24 Tf 72 720 Td (Page %d) Tj ET", i+1)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>", page+1),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), pages)
	return File(objects)
}

// File returns a document of these objects, numbered from 1; the first is the catalog.
func File(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	at := make([]int, len(objects))
	for i, o := range objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

// Packed returns a document of so many pages whose objects are in a compressed
// stream, as newer programs write them.
func Packed(pages int) []byte {
	var head, body, kids strings.Builder
	add := func(number int, text string) {
		fmt.Fprintf(&head, "%d %d ", number, body.Len())
		body.WriteString(text + " ")
	}
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 10+i)
	}
	add(1, "<</Type/Catalog/Pages 2 0 R>>")
	add(2, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), pages))
	for i := range pages {
		add(10+i, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>")
	}
	return Stream(Deflate([]byte(head.String()+body.String())), pages+2, head.Len(), "/Filter/FlateDecode")
}

// Stream returns a document whose only object besides its index is a compressed stream.
func Stream(packed []byte, n, first int, more string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	fmt.Fprintf(&b, "5 0 obj\n<</Type/ObjStm/N %d/First %d/Length %d%s>>\nstream\n", n, first, len(packed), more)
	b.Write(packed)
	xref := b.Len()
	fmt.Fprintf(&b, "\nendstream\nendobj\n6 0 obj\n<</Type/XRef/Size 9/W[1 2 1]/Root 1 0 R/Length 0>>\nstream\n\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", xref)
	return b.Bytes()
}

// Deflate packs bytes as the streams of a document are packed.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data) // to memory
	w.Close()
	return b.Bytes()
}
