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
	"unicode/utf8"
)

// Marshal gives v as compact JSON.
func Marshal(v any) ([]byte, error) { return Append(nil, v) }

// Append appends v as compact JSON to dst.
func Append(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Indented gives v as JSON with two spaces for each level, and a line break at
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
// what must be escaped is. Bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s, &plain) }

// AppendTagless is AppendString with `<` and `>` escaped, so that no text can
// close a tag that the JSON stands in.
func AppendTagless(dst []byte, s string) []byte { return appendString(dst, s, &tagless) }

func appendString(dst []byte, s string, plain *[256]bool) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
