// Package utf8check checks whether text is valid UTF-8. It gives the answers of unicode/utf8, which
// reads a text byte by byte from its first character beyond ASCII on; this package reads eight bytes
// of ASCII at a time everywhere.
package utf8check

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// ValidString reports whether s is valid UTF-8.
func ValidString(s string) bool { return Valid(unsafe.Slice(unsafe.StringData(s), len(s))) }

// Valid reports whether b is valid UTF-8.
func Valid(b []byte) bool {
	const (
		highs = 0x8080808080808080
		// Two characters of three bytes each, 1110xxxx 10xxxxxx 10xxxxxx.
		threes, pair = 0xC0C0F0C0C0F0, 0x8080E08080E0
	)
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		if x&highs == 0 {
			b = b[8:]
			for len(b) >= 32 {
				_ = b[31]
				y := binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) | binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
				if y&highs != 0 {
					break
				}
				b = b[32:]
			}
			continue
		}
		b = b[bits.TrailingZeros64(x&highs)>>3:]
		for len(b) >= 8 && b[0] >= utf8.RuneSelf {
			x := binary.LittleEndian.Uint64(b)
			if !anySecond(byte(x)) {
				r, size := utf8.DecodeRune(b)
				if r == utf8.RuneError && size == 1 {
					return false
				}
				b = b[size:]
				continue
			}
			switch {
			case x&threes == pair && anySecond(byte(x>>24)):
				b = b[6:]
			case x&(threes&0xFFFFFF) == pair&0xFFFFFF:
				b = b[3:]
			default:
				return false
			}
		}
	}
	return utf8.Valid(b)
}

// anySecond reports whether c begins a character of three bytes whose second byte may be any of
// 10xxxxxx. After E0 and ED it may not: some values have shorter forms, others are surrogates.
func anySecond(c byte) bool { return c >= 0xE1 && c <= 0xEF && c != 0xED }
