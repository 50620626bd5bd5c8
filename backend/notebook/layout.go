package notebook

import (
	"bytes"

	"mutsumi/backend/jsontext"
)

// normalise appends src, valid JSON, in our own layout: two spaces per level, for a value at depth.
// Only white space changes; numbers, escapes and the order of keys stay as they are.
//
// Text that would grow excessively (a hostile file: a million values nested hundreds of levels
// deep) is kept as it is instead.
func normalise(dst, src []byte, depth int) []byte {
	start, limit := len(dst), len(dst)+16*len(src)+1<<16
	for i := 0; i < len(src); {
		if len(dst) > limit {
			return append(dst[:start], bytes.TrimSpace(src)...)
		}
		switch c := src[i]; c {
		case ' ', '\n', '\r', '\t':
			i++
		case '"':
			end := skipString(src, i)
			dst = append(dst, src[i:end]...)
			i = end
		case '{', '[':
			dst = append(dst, c)
			i = skipSpace(src, i+1)
			if src[i] == '}' || src[i] == ']' {
				dst = append(dst, src[i])
				i++
				continue
			}
			depth++
			dst = append(dst, indents[:1+2*depth]...)
		case '}', ']':
			depth--
			dst = append(dst, indents[:1+2*depth]...)
			dst = append(dst, c)
			i++
		case ',':
			dst = append(dst, c)
			dst = append(dst, indents[:1+2*depth]...)
			i++
		case ':':
			dst = append(dst, ':', ' ')
			i++
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// layout returns v as JSON in our own layout at depth. v is one of our structs, which cannot fail
// to marshal.
func layout(v any, depth int) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("notebook: " + err.Error())
	}
	return normalise(nil, text, depth)
}

// shift appends text of our own layout indented by spaces more: a raw line break is never inside a
// JSON string, so every one of them is layout. Negative spaces remove as many if present.
func shift(dst, src []byte, spaces int) []byte {
	for {
		at := bytes.IndexByte(src, '\n')
		if at < 0 {
			return append(dst, src...)
		}
		dst = append(dst, src[:at+1]...)
		src = src[at+1:]
		if spaces > 0 {
			dst = append(dst, indents[1:1+spaces]...)
		}
		for n := spaces; n < 0 && len(src) > 0 && src[0] == ' '; n++ {
			src = src[1:]
		}
	}
}
