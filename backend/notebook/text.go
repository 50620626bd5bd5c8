package notebook

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the value of a raw, valid JSON string, "" for anything else. Half a surrogate
// pair becomes U+FFFD: Go text cannot hold it. The raw text keeps it as long as that text is not
// edited.
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
