// Package jsontext writes readable JSON: `<`, `>` and `&` are not escaped, and no line break
// follows. encoding/json escapes them for HTML pages, into which none of our JSON is put.
//
// It reads nothing. Every package that writes JSON for a file, a model or a
// person uses it.
package jsontext

import (
	"bytes"
	"encoding/json"
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

// AppendString appends s as a JSON string in the form of JSON.stringify: only
// what must be escaped is. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	return append(appendText(append(dst, '"'), s, &plain), '"')
}

// AppendTagless appends what AppendString appends, with `<` and `>` escaped, so
// that no text can close a tag that the JSON is in.
func AppendTagless(dst []byte, s string) []byte {
	return append(appendText(append(dst, '"'), s, &tagless), '"')
}

// AppendInner appends what AppendString appends between the quotes.
func AppendInner(dst []byte, s string) []byte { return appendText(dst, s, &plain) }

// AppendTaglessInner appends what AppendInner appends for what AppendTagless appends: a
// string in a text that is a string itself.
func AppendTaglessInner(dst []byte, s string) []byte {
	return append(appendText(append(dst, `\"`...), s, &twice), `\"`...)
}
