// Package pdf counts the pages of a PDF document.
//
// It draws nothing and reads no text. It does not use the document's own index of objects, which
// may be damaged or hostile, but scans the bytes once and follows the page tree from there. Time
// and memory are limited by the length of the document, whatever its content. Called by media.
package pdf

import (
	"bytes"
	"math"
)

// Info is what the structure of a document shows.
type Info struct {
	Pages     int  // 0: it has none, or Known is false
	Known     bool // the pages could be counted
	Encrypted bool // it requires a password, or restricts its use
	Cut       bool // its end is missing
}

const (
	// maxInflated limits what is unpacked of one document, in bytes. Compressed objects hold the
	// structure, never the content of pages.
	maxInflated = 64 << 20
	// maxObjects and maxKids limit what is remembered of one document. A page takes one of each.
	maxObjects = 400_000
	maxKids    = 1_000_000
	// stepsPerByte and leastSteps bound the reading of structures that never end.
	stepsPerByte = 6
	leastSteps   = 64 << 10
	// tail is where the mark of the end is looked for, in bytes.
	tail = 4 << 10
)

// Is reports whether a file that begins with head is a PDF document.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte("%PDF-")) }

// Read counts the pages of a document.
func Read(data []byte) Info {
	steps := stepsPerByte*len(data) + leastSteps
	r := &reader{objects: map[uint32]object{}, steps: &steps, rootAt: -1}
	r.scan(data)
	r.trailers(data)
	info := Info{Encrypted: r.encrypted, Cut: isCut(data)}
	info.Pages = r.pages()
	info.Known = !r.lost && (info.Pages > 0 || !r.encrypted)
	if !info.Known {
		info.Pages = 0
	}
	return info
}

// isCut reports whether the end of a document is missing. Zeros and line ends that
// a transfer appended do not count.
func isCut(data []byte) bool {
	data = bytes.TrimRight(data, "\x00 \t\r\n")
	end := data[max(0, len(data)-tail):]
	return !bytes.Contains(end, []byte("startxref")) && !bytes.Contains(end, []byte("%%EOF"))
}

// object is the remembered part of an indirect object: of pages, page tree nodes, catalogs, and
// lists of references.
type object struct {
	kind   kind
	kids   []uint32 // of a node or a list
	listAt uint32   // of a node: the list of its kids is that object
	pages  uint32   // of a catalog: the top of the tree
}

type kind byte

const (
	aPage kind = iota + 1
	aNode
	aCatalog
	aList
)

type reader struct {
	objects   map[uint32]object // the last of each number
	kids      int               // of all objects
	inflated  int               // bytes
	steps     *int
	catalog   uint32 // the last one
	root      uint32 // the catalog that the newest trailer names; 0: none
	rootAt    int
	encrypted bool
	lost      bool // something is too large or too odd to be followed
}

// scan reads all objects of a document in the order of the file: of several with one number the
// last one counts, since updates are appended.
func (r *reader) scan(data []byte) {
	for at := 0; at < len(data); {
		n := bytes.Index(data[at:], []byte("obj"))
		if n < 0 || *r.steps <= 0 {
			break
		}
		here := at + n
		at = here + 3
		number, ok := numberBefore(data, here)
		if !ok {
			continue
		}
		l := &lexer{b: data, i: at, steps: r.steps}
		d, ok := r.value(l)
		if !ok {
			continue
		}
		r.put(number, d)
		if d.is == aDict && l.word("stream") {
			at = r.stream(data, l.i, d, here)
		} else if d.is != 0 {
			at = l.i
		}
	}
	if *r.steps <= 0 {
		r.lost = true
	}
}

// numberBefore reads the number of an object whose "obj" is at a place: `12 0 obj`.
func numberBefore(b []byte, at int) (uint32, bool) {
	i := spacesBefore(b, at)
	generation := i
	for i > 0 && isDigit(b[i-1]) && generation-i < 5 {
		i--
	}
	if i == generation || generation == at {
		return 0, false
	}
	end := spacesBefore(b, i)
	from := end
	for from > 0 && isDigit(b[from-1]) && end-from < 10 {
		from--
	}
	if end == i || from == end {
		return 0, false
	}
	n := uint64(0)
	for _, c := range b[from:end] {
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n > 0 && n <= math.MaxUint32
}

// spacesBefore is where the spaces before a place begin; it checks a few only.
func spacesBefore(b []byte, at int) int {
	i := at
	for i > 0 && isSpace(b[i-1]) && at-i < 32 {
		i--
	}
	return i
}

// put remembers an object, or forgets the one that it replaces.
func (r *reader) put(number uint32, d dict) {
	o := object{kids: d.kids, listAt: d.kidsAt, pages: d.pages}
	switch {
	case d.is == anArray:
		o.kind = aList
	case d.typ == "Page":
		o.kind = aPage
	case d.typ == "Pages" || d.hasKids && d.typ == "":
		o.kind = aNode
	case d.typ == "Catalog":
		o.kind, r.catalog = aCatalog, number
	}
	if o.kind == 0 || o.kind == aList && len(o.kids) == 0 {
		delete(r.objects, number)
		return
	}
	if o.kind == aPage {
		o.kids = nil
	}
	r.kids += len(o.kids)
	if _, known := r.objects[number]; !known && len(r.objects) >= maxObjects || r.kids > maxKids {
		r.lost = true
		return
	}
	r.objects[number] = o
}

// stream handles the stream of an object that begins after a place, and returns its end. here is
// the place of the object in the file.
func (r *reader) stream(data []byte, from int, d dict, here int) (end int) {
	if from < len(data) && data[from] == '\r' {
		from++
	}
	if from < len(data) && data[from] == '\n' {
		from++
	}
	mark := []byte("endstream")
	end = -1
	if d.length >= 0 && d.length <= len(data)-from {
		l := &lexer{b: data[:min(len(data), from+d.length+64)], i: from + d.length, steps: r.steps}
		if l.word("endstream") {
			end = from + d.length
		}
	}
	if end < 0 {
		n := bytes.Index(data[from:], mark)
		if n < 0 {
			n = len(data) - from
		}
		end = from + n
	}
	switch d.typ {
	case "XRef":
		r.trailer(d, here)
	case "ObjStm":
		r.compressed(data[from:end], d)
	}
	return end
}

// trailer reads a trailer, or a stream that replaces one.
func (r *reader) trailer(d dict, at int) {
	r.encrypted = r.encrypted || d.encrypted
	if d.root != 0 && at > r.rootAt {
		r.root, r.rootAt = d.root, at
	}
}

// maxTrailers is how many trailers are examined, from the end.
const maxTrailers = 64

// trailers reads the newest trailer that names a catalog, after the streams that replace one.
func (r *reader) trailers(data []byte) {
	from, end := max(0, r.rootAt), len(data)
	for range maxTrailers {
		at := bytes.LastIndex(data[from:end], []byte("trailer"))
		if at < 0 {
			return
		}
		at += from
		end = at
		l := &lexer{b: data, i: at + len("trailer"), steps: r.steps}
		if d, ok := r.value(l); ok && d.is == aDict {
			if r.trailer(d, at); d.root != 0 {
				return
			}
		}
	}
}

// pages counts the pages below the catalog; if the tree cannot be followed, it counts all existing
// pages.
func (r *reader) pages() int {
	for _, root := range []uint32{r.root, r.catalog} {
		if o := r.objects[root]; o.kind == aCatalog {
			if n := r.below(o.pages); n > 0 {
				return n
			}
		}
	}
	if o := r.objects[r.root]; o.kind == aCatalog && r.objects[o.pages].kind == aNode {
		return 0 // the tree exists and has no pages
	}
	n := 0
	for _, o := range r.objects {
		if o.kind == aPage {
			n++
		}
	}
	return n
}

// below counts the pages below a node. Each object counts once, so that cycles end.
func (r *reader) below(top uint32) (n int) {
	seen := map[uint32]bool{}
	next := []uint32{top}
	for len(next) > 0 {
		number := next[len(next)-1]
		next = next[:len(next)-1]
		o, ok := r.objects[number]
		if !ok || seen[number] {
			continue
		}
		seen[number] = true
		switch o.kind {
		case aPage:
			n++
		case aNode:
			next = append(next, o.kids...)
			if list := r.objects[o.listAt]; list.kind == aList && !seen[o.listAt] {
				seen[o.listAt] = true
				next = append(next, list.kids...)
			}
		}
	}
	return n
}
