package jsontext

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	asmutf8 "github.com/segmentio/asm/utf8"
)

// escapes holds the replacements for characters of a text in a JSON string.
type escapes struct {
	of   [utf8.RuneSelf]escape
	tags uint64 // all ones: `<` and `>` are escaped too
}

// escape is at most eight bytes of text, the first one lowest.
type escape struct {
	text uint64
	n    int // 0: the character is not escaped
}

// plain and tagless are the escapes of AppendString and AppendTagless; twice are those of an
// AppendTagless string inside an AppendString string.
var (
	plain   = escapesOf("")
	tagless = escapesOf("<>")
	twice   = tagless.twice()
)

func escapesOf(tags string) (e escapes) {
	const hex = "0123456789abcdef"
	set := func(c byte, text string) {
		var room [8]byte
		e.of[c] = escape{n: copy(room[:], text), text: binary.LittleEndian.Uint64(room[:])}
	}
	coded := func(c byte) { set(c, `\u00`+hex[c>>4:c>>4+1]+hex[c&15:c&15+1]) }
	for c := range byte(' ') {
		coded(c)
	}
	for i := range len(tags) {
		coded(tags[i])
		e.tags = ^uint64(0)
	}
	for i, short := range []byte(`"\nrtbf`) {
		set("\"\\\n\r\t\b\f"[i], `\`+string(rune(short)))
	}
	return e
}

// twice returns the escapes, escaped in turn.
func (e escapes) twice() escapes {
	for c := range e.of {
		var room [8]byte
		binary.LittleEndian.PutUint64(room[:], e.of[c].text)
		inner := string(room[:e.of[c].n])
		room = [8]byte{}
		e.of[c].n = copy(room[:], appendValid(nil, inner, &plain))
		e.of[c].text = binary.LittleEndian.Uint64(room[:])
	}
	return e
}

// appendText appends s, escaped for a JSON string.
func appendText(dst []byte, s string, e *escapes) []byte {
	for !asmutf8.Valid(unsafe.Slice(unsafe.StringData(s), len(s))) {
		at := 0
		for {
			r, n := utf8.DecodeRuneInString(s[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		dst = append(appendValid(dst, s[:at], e), "\uFFFD"...)
		s = s[at+1:]
	}
	return appendValid(dst, s, e)
}

// appendValid is appendText for valid UTF-8. It processes eight bytes at a time and copies them on
// the way: most texts have something to escape in every line.
func appendValid(dst []byte, s string, e *escapes) []byte {
	// free, which follows the written part of dst, always has room for the rest of s and for an
	// escape.
	dst, free := room(dst, len(s))
	for len(s) >= 8 && len(free) >= 16 {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		binary.LittleEndian.PutUint64(free, x)
		found := e.find(x)
		if found == 0 {
			s, free = s[8:], free[8:]
			continue
		}
		k := bits.TrailingZeros64(found) >> 3
		c := &e.of[byte(x>>(8*k))&(utf8.RuneSelf-1)]
		s, free = s[k+1:], free[k:]
		if len(free) < len(s)+24 {
			dst, free = room(dst[:cap(dst)-len(free)], len(s)+len(s)/16)
		}
		binary.LittleEndian.PutUint64(free, c.text)
		free = free[c.n:]
	}
	n := cap(dst) - len(free)
	dst = dst[:n]
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || e.of[c].n == 0 {
			dst = append(dst, c)
			continue
		}
		var text [8]byte
		binary.LittleEndian.PutUint64(text[:], e.of[c].text)
		dst = append(dst, text[:e.of[c].n]...)
	}
	return dst
}

// room returns dst and the free space after its end: enough for so many bytes and an escape.
func room(dst []byte, bytes int) (_, free []byte) {
	dst = slices.Grow(dst, bytes+24)
	return dst, dst[len(dst):cap(dst)]
}

// find marks the first of eight characters to escape: the lowest bit that it sets is the highest
// bit of that character; 0: there is none.
func (e *escapes) find(x uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	// Without bit 2, a quote is less than an exclamation mark with it, as control characters are;
	// `<` and `>` differ in it. A borrow can only set bits after the first.
	low, slash, tag := x^ones*2, x^ones*'\\', (x|ones*2)^ones*'>'
	return ((low-ones*'!')&^low | (slash-ones)&^slash | (tag-ones)&^tag&e.tags) & highs
}
