package notebook

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// quote appends s as a JSON string in the form of JSON.stringify: only what
// must be escaped is. Bytes that are no UTF-8 become U+FFFD.
func quote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
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
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			i++
			start = i
			continue
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// unquote gives the value of a raw, valid JSON string; anything else is "".
// Half a surrogate pair becomes U+FFFD: Go text cannot hold it. The raw text
// keeps it as long as nobody edits that text.
func unquote(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	in := raw[1 : len(raw)-1]
	at := bytes.IndexByte(in, '\\')
	if at < 0 {
		return string(in)
	}
	out := make([]byte, 0, len(in))
	for at >= 0 {
		out = append(out, in[:at]...)
		switch c := in[at+1]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r := hex4(in[at+2:])
			at += 4
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if rest := in[at+2:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
					pair = utf16.DecodeRune(r, hex4(rest[2:]))
				}
				if pair != utf8.RuneError {
					at += 6
				}
				r = pair
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
		in = in[at+2:]
		at = bytes.IndexByte(in, '\\')
	}
	return string(append(out, in...))
}

func isString(raw []byte) bool { return len(raw) >= 2 && raw[0] == '"' }
func isObject(raw []byte) bool { return len(raw) >= 2 && raw[0] == '{' }
func isArray(raw []byte) bool  { return len(raw) >= 2 && raw[0] == '[' }
func isNull(raw []byte) bool   { return len(raw) == 4 && raw[0] == 'n' }
