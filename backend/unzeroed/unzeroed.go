// Package unzeroed allocates memory without writing zeros to it, for large texts that are written at
// once: the zeros would take as long as the text.
package unzeroed

import (
	"strings"
	"unsafe"
)

// Bytes returns an empty slice with room for n bytes. What is in the room is not known: append to
// the slice, or write what you extend it by before you read it.
func Bytes(n int) []byte {
	var b strings.Builder // the standard library's way to such memory
	b.Grow(n + 1)
	b.WriteByte(0) // with nothing in it, a builder need not tell where its memory is
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:0]
}
