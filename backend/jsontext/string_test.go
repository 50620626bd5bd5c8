package jsontext_test

import (
	"strings"
	"testing"

	"mutsumi/backend/jsontext"
)

func FuzzString(f *testing.F) {
	for _, s := range []string{
		"", "a\"\\\n\r\t\b\f\x00\x1f\x7f", "</a>&", "请帮我 \u2028\u2029\ufffd", "a\xffb\xc3", "\xe2\x80", "😀", "12345678\"2345678", "1234567\n", "1234567é12345678\x80",
		strings.Repeat("const 上下文 = \"x\\n\"\n", 20),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := jsontext.AppendString([]byte("x"), s), "x"+stringified(s); string(got) != want {
			t.Fatalf("%q became %s, want %s", s, got, want)
		}
	})
}

var tagless = strings.NewReplacer("<", `\u003c`, ">", `\u003e`)

// stringified is the output of encoding/json, without the escapes that JSON.stringify does not make.
func stringified(s string) string {
	text, err := jsontext.Marshal(string([]rune(s)))
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := string(text[i:])
		switch {
		case strings.HasPrefix(rest, `\u2028`), strings.HasPrefix(rest, `\u2029`):
			out.WriteString(map[byte]string{'8': "\u2028", '9': "\u2029"}[text[i+5]])
			i += 5
		case text[i] == '\\':
			out.WriteString(rest[:2])
			i++
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// Every byte at every place of the eight that are looked at together.
func TestEveryByteAtEveryPlace(t *testing.T) {
	for c := range 256 {
		for d := range 256 {
			for at := range 8 {
				text := []byte("abcdefgh2345678")
				text[at], text[at+1] = byte(c), byte(d)
				if got, want := jsontext.AppendString(nil, string(text)), stringified(string(text)); string(got) != want {
					t.Fatalf("%q became %s, want %s", text, got, want)
				}
				if got, want := jsontext.AppendTagless(nil, string(text)), tagless.Replace(stringified(string(text))); string(got) != want {
					t.Fatalf("%q became %s, want %s", text, got, want)
				}
			}
		}
	}
}

func BenchmarkString(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("the agent reads the file and answers the question of the person\n", 16<<10),
		"mixed": strings.Repeat("const 上下文 token agent 规则 notebook return\\n", 16<<10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			dst := make([]byte, 0, 2*len(s))
			for b.Loop() {
				dst = jsontext.AppendString(dst[:0], s)
			}
		})
		b.Run(name+"/encoding", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			dst := make([]byte, 0, 2*len(s))
			for b.Loop() {
				dst, _ = jsontext.Append(dst[:0], s)
			}
		})
	}
}
