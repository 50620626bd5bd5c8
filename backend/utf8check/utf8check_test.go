package utf8check_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mutsumi/backend/utf8check"
)

func FuzzValid(f *testing.F) {
	for _, s := range []string{
		"", "a", "abcdefgh", "abcdefghi", "ä", "abcdefgä", "上下文", "abc上下文def", "\u0800\ud7ff\ue000\uffff\ufffd", "😀 and 😀😀",
		"\xff", "abcdefgh\xff", "上\xff下", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "abcdefgh\xe4\xb8", "\x80abcdefgh", "上下文\xe4",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// At every place of a group of eight bytes, with more behind it.
		for n := range 9 {
			for _, after := range []string{"", "xyz 上下文 xyz", "12345678"} {
				text := strings.Repeat("x", n) + s + after
				want := utf8.ValidString(text)
				if utf8check.ValidString(text) != want || utf8check.Valid([]byte(text)) != want {
					t.Fatalf("%q: valid is %v", text, want)
				}
			}
		}
	})
}

func BenchmarkValid(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat("const value stream token agent notebook context\n", 20_000)},
		{"mixed", strings.Repeat("const value stream token 上下文 agent 工具 notebook context\n", 20_000)},
		{"chinese", strings.Repeat("上下文规则文件工具结果，", 30_000)},
	} {
		for _, by := range []struct {
			name  string
			valid func(string) bool
		}{{"ours", utf8check.ValidString}, {"unicode", utf8.ValidString}} {
			b.Run(c.name+"/"+by.name, func(b *testing.B) {
				b.SetBytes(int64(len(c.text)))
				for b.Loop() {
					if !by.valid(c.text) {
						b.Fatal("not valid")
					}
				}
			})
		}
	}
}
