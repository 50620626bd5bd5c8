package pdf

// dict is the relevant part of an object's value.
type dict struct {
	is               form
	typ              string
	kids             []uint32 // of a dictionary's /Kids, or the references of an array
	kidsAt           uint32   // /Kids is that object
	hasKids          bool
	pages, root      uint32 // of a catalog; of a trailer
	encrypted        bool
	length, n, first int // -1: not given, or elsewhere
	flate            bool
	odd              bool // packed in a way that is not read here
}

// form is the form of a value; 0: neither a dictionary nor an array.
type form byte

const (
	aDict form = iota + 1
	anArray
)

// maxDepth bounds how deep values may be inside one another.
const maxDepth = 64

// value reads the value of an object. It is not ok where it does not end.
func (r *reader) value(l *lexer) (d dict, ok bool) {
	d = dict{length: -1, n: -1, first: -1}
	switch t, _ := l.next(); t {
	case openDict:
		d.is = aDict
		return d, r.dict(l, &d)
	case openArray:
		d.is = anArray
		d.kids, ok = r.references(l)
		return d, ok
	case end:
		return d, false
	}
	return d, true
}

// dict reads a dictionary after its `<<`.
func (r *reader) dict(l *lexer, d *dict) bool {
	for {
		t, key := l.next()
		switch t {
		case closeDict:
			return true
		case aName:
		default:
			return false
		}
		before := l.i
		t, text := l.next()
		switch string(key) {
		case "Type":
			if t == aName {
				d.typ = string(text)
			}
		case "Kids":
			d.hasKids = true
			if t == openArray {
				var ok bool
				if d.kids, ok = r.references(l); !ok {
					return false
				}
				continue
			}
			if t == aNumber {
				d.kidsAt = l.reference(text)
			}
		case "Pages":
			if t == aNumber {
				d.pages = l.reference(text)
			}
		case "Root":
			if t == aNumber {
				d.root = l.reference(text)
			}
		case "Encrypt":
			d.encrypted = t == aNumber || t == openDict
		case "Length":
			if t == aNumber {
				if d.length = whole(text); l.reference(text) != 0 {
					d.length = -1
				}
			}
		case "N":
			d.n = whole(text)
		case "First":
			d.first = whole(text)
		case "Filter":
			d.flate = t == aName && (string(text) == "FlateDecode" || string(text) == "Fl")
			if t == openArray {
				d.flate = l.onlyName("FlateDecode")
			}
			d.odd = d.odd || !d.flate
		case "DecodeParms", "DP":
			d.odd = d.odd || t == openDict // a predictor
		}
		l.i = before
		if !l.skip() {
			return false
		}
	}
}

// reference reads the rest of a reference whose first number is text: `12 0 R`. If it is not one,
// it returns 0 and does not move.
func (l *lexer) reference(text []byte) uint32 {
	before := l.i
	if t, _ := l.next(); t == aNumber && l.word("R") {
		return objectNumber(text)
	}
	l.i = before
	return 0
}

// onlyName reports whether an array, after its `[`, contains only that name.
func (l *lexer) onlyName(want string) bool {
	t, text := l.next()
	if t != aName || string(text) != want {
		return false
	}
	t, _ = l.next()
	return t == closeArray
}

// references reads the references of an array after its `[`.
func (r *reader) references(l *lexer) (all []uint32, ok bool) {
	for {
		before := l.i
		switch t, text := l.next(); t {
		case closeArray:
			return all, true
		case aNumber:
			if number := l.reference(text); number != 0 {
				if len(all) >= maxKids {
					r.lost = true
					return nil, false
				}
				all = append(all, number)
			}
		case end:
			return nil, false
		default:
			l.i = before
			if !l.skip() {
				return nil, false
			}
		}
	}
}

// skip skips one value.
func (l *lexer) skip() bool {
	for depth := 0; ; {
		switch t, text := l.next(); t {
		case openDict, openArray:
			if depth++; depth > maxDepth {
				return false
			}
		case closeDict, closeArray:
			if depth--; depth < 0 {
				return false
			}
		case end:
			return false
		case aNumber:
			l.reference(text)
		}
		if depth == 0 {
			return true
		}
	}
}
