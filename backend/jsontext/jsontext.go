// Package jsontext writes JSON as it is meant to be read: `<`, `>` and `&`
// stand as they are, and no line break follows. encoding/json escapes them for
// pages of HTML, which nothing of ours is put into.
//
// It reads nothing. Every package that writes JSON for a file, a model or a
// person uses it.
package jsontext

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Marshal returns v as compact JSON.
func Marshal(v any) ([]byte, error) { return Append(nil, v) }

// Append appends v as compact JSON to dst.
func Append(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Indented returns v as JSON with two spaces for each level, and a line break at
// its end, for a terminal.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// plain and tagless are the ASCII bytes that stand for themselves in a string.
var (
	plain   = table(`"\`)
	tagless = table(`"\<>`)
)

func table(escaped string) (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = true
	}
	for _, c := range escaped {
		t[c] = false
	}
	return t
}

// AppendString appends s as a JSON string in the form of JSON.stringify: only
// what must be escaped is. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	var room [6]byte
	dst = append(dst, '"')
	for start := 0; ; {
		at, n := special(s, start, &plain, 0)
		dst = append(dst, s[start:at]...)
		if n == 0 {
			return append(dst, '"')
		}
		dst = append(dst, escape(&room, s[at])...)
		start = at + n
	}
}

// WriteTagless writes what AppendString appends, with `<` and `>` escaped, so
// that no text can close a tag that the JSON is in.
func WriteTagless(w *strings.Builder, s string) {
	var room [6]byte
	w.WriteByte('"')
	for start := 0; ; {
		at, n := special(s, start, &tagless, ^uint64(0))
		w.WriteString(s[start:at])
		if n == 0 {
			w.WriteByte('"')
			return
		}
		w.Write(escape(&room, s[at]))
		start = at + n
	}
}

// special finds the first byte from i on that cannot stand for itself; n is 0
// behind the last one. tags is all ones where tags are escaped, else 0.
func special(s string, i int, plain *[256]bool, tags uint64) (at, n int) {
	for i < len(s) {
		c := s[i]
		switch {
		case plain[c]:
			i = next(s, i, plain, tags)
		case c < utf8.RuneSelf:
			return i, 1
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				return i, 1
			}
			i += n
		}
	}
	return len(s), 0
}

// next returns where from i on is the first byte that is escaped or not ASCII;
// len(s): there is none. It looks at eight bytes at a time.
func next(s string, i int, plain *[256]bool, tags uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash, tag := x^ones*'"', x^ones*'\\', (x|ones*2)^ones*'>' // `<` and `>` differ in the bit 2
		// The lowest high bit is that of the first such byte; a borrow can only set bits behind it.
		if found := (x | (x - ones*' ') | (quote - ones) | (slash - ones) | (tag-ones)&tags) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s) && plain[s[i]]; i++ {
	}
	return i
}

// escape returns what stands for a byte that is special.
func escape(room *[6]byte, c byte) []byte {
	const hex = "0123456789abcdef"
	out := append(room[:0], '\\')
	switch c {
	case '"', '\\':
		return append(out, c)
	case '\n':
		return append(out, 'n')
	case '\t':
		return append(out, 't')
	case '\r':
		return append(out, 'r')
	case '\b':
		return append(out, 'b')
	case '\f':
		return append(out, 'f')
	}
	if c >= utf8.RuneSelf {
		return append(room[:0], "\uFFFD"...)
	}
	return append(out, 'u', '0', '0', hex[c>>4], hex[c&15])
}
