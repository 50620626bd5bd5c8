package jsontext_test

import (
	"testing"

	"mutsumi/backend/jsontext"
)

// A string in a string equals writing it once and then writing the text that contains it, whatever
// space is free.
func FuzzStringInAString(f *testing.F) {
	for _, s := range []string{
		"", "a\"\\\n\r\t\b\f\x00\x1f\x7f", "</a>&", "请帮我 \u2028\u2029\ufffd", "a\xffb\xc3", "\xe2\x80", "😀", "12345678\"2345678", "1234567\n", "1234567é12345678\x80",
		"\n\n\n\n\n\n\n\n\x01\x01\x01\x01\x01\x01\x01\x01<<<<<<<<\\\\\\\\\\\\\\\\",
	} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(40))
	}
	f.Fuzz(func(t *testing.T, s string, room uint8) {
		dst := append(make([]byte, 0, 1+int(room)), 'x')
		whole := jsontext.AppendString([]byte("x"), s)
		if got := string(jsontext.AppendInner(dst, s)); got != "x"+string(whole[2:len(whole)-1]) {
			t.Fatalf("%q became %s in the quotes of %s", s, got, whole)
		}
		once := jsontext.AppendTagless(nil, s)
		twice := jsontext.AppendString(nil, string(once))
		if got, want := string(jsontext.AppendTaglessInner(dst, s)), "x"+string(twice[1:len(twice)-1]); got != want {
			t.Fatalf("%q became %s, want %s", s, got, want)
		}
	})
}
