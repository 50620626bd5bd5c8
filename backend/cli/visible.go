package cli

import (
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"
)

// visible writes text to a terminal without letting it control the terminal: names, answers and
// errors come from models and files. Escape sequences, other control characters, and invisible or
// direction-changing characters are spelled out: \x1b, <U+202E>.
type visible struct {
	to   io.Writer
	rest []byte // the start of an incomplete character
}

// onTerminal makes output visible if w is a terminal: output to a pipe or a file stays as it is.
func onTerminal(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if !ok {
		return w
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return w
	}
	if nothing, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, nothing) {
		return w
	}
	return &visible{to: w}
}

func (v *visible) Write(p []byte) (int, error) {
	text := append(v.rest, p...)
	v.rest = nil
	if n := incomplete(text); n > 0 {
		v.rest = append([]byte(nil), text[len(text)-n:]...)
		text = text[:len(text)-n]
	}
	if _, err := v.to.Write(seen(text)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what never came to its end.
func (v *visible) flush() {
	_, _ = v.to.Write(seen(v.rest))
	v.rest = nil
}

// incomplete is how many bytes at the end of a text begin an incomplete character.
func incomplete(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRune(b) {
				return n
			}
			break
		}
	}
	return 0
}

// seen returns a text with invisible characters spelled out. Lines and tabs stay.
func seen(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		n := 0
		for n < len(text) && (text[n] >= 0x20 && text[n] < 0x7f || text[n] == '\n') {
			n++
		}
		out, text = append(out, text[:n]...), text[n:]
		if len(text) == 0 {
			return out
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\r' && len(text) > 1 && text[1] == '\n': // the end of a line
		case r == utf8.RuneError && size == 1, r != '\n' && r != '\t' && r < 0x20, r == 0x7f:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case unicode.IsControl(r) && r >= 0x80, unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r),
			unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d': // joiners belong to scripts and emoji
			out = fmt.Appendf(out, "<U+%04X>", r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
}
