package exchange

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestServerWords(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"a","code":"c"}}`:             "c a",
		`{"error":"a"}`:                                    " a",
		`{"error":{"message":["a","b"],"type":"t"}}`:       `t ["a","b"]`,
		`[{"error":{"message":"a","status":"S"}}]`:         "S a",
		`{"detail":"a"}`:                                   " a",
		`{"other":"a"}`:                                    ` {"other":"a"}`,
		`<html><script>x</script><h1>Bad &amp; worse</h1>`: "   Bad & worse ",
		`plain`: " plain",
		``:      " ",
		`{"error":{"message":"a","metadata":{"raw":"why"}}}`: " a: why",
	} {
		text, code := serverWords([]byte(body))
		if got := code + " " + text; strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	deep := strings.Repeat(`{"error":`, 10000) + `"x"` + strings.Repeat("}", 10000)
	if text, _ := serverWords([]byte(deep)); text == "" {
		t.Error("a deeply nested error has no text")
	}
}

func TestClean(t *testing.T) {
	const key = "tok_0123456789abcdefghijklmnopqrstuvwxyz"
	for in, want := range map[string]string{
		"key " + key + " is wrong":         "key *** is wrong",
		"key " + key[:12] + "... is wrong": "key ***... is wrong",
		"ends in " + key[20:]:              "ends in ***",
		"short " + key[:7]:                 "short " + key[:7],
		"Bearer abcdefghijk refused":       "*** refused",
		"sk-proj-ABCDEFGHIJ refused":       "*** refused",
		"a\x1b[31m\r\n\tb\u202ec":          "a [31m bc",
		"caf\xe9":                          "caf\uFFFD",
		strings.Repeat("ä", 300):           strings.Repeat("ä", 200) + "…",
	} {
		if got := clean(in, []byte(key)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzDecoder checks that the decoder ends and does not panic on any input.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"data: {}\n\n", "data: [DONE]", ": x\n", "error: {}\n\n", "data\n\ndata:\n\n", "event: a\ndata: b\ndata: c\n\n", "\xef\xbb\xbfid", "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"id\":\"a\"},{}]}}]}\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := newDecoder(strings.NewReader(s))
		total := 0
		for {
			e, err := d.next()
			if err != nil {
				if err != io.EOF && err != io.ErrUnexpectedEOF {
					t.Fatal(err)
				}
				break
			}
			if total += len(e.data); total > len(s) {
				t.Fatal("more came out than went in")
			}
		}
	})
}

// BenchmarkDecoder reads events of many lines without an end, whose cost must be linear in their
// length.
func BenchmarkDecoder(b *testing.B) {
	body := "data: [1,\n" + strings.Repeat("data: 1,\n", 100_000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := newDecoder(strings.NewReader(body)).next(); err != io.ErrUnexpectedEOF {
			b.Fatal(err)
		}
	}
}

// The text of a request is made while it is sent: about one piece of it is in memory, however long
// the conversation is.
func TestBodyIsMadePieceByPiece(t *testing.T) {
	const n, size = 200, 64 << 10
	said := strings.Repeat("line\n", size/5)
	b := NewBody("[", n, func(dst []byte, _ int) ([]byte, error) { return append(dst, said...), nil }, "]")
	whole, err := b.size()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, read := b.reader(), int64(0)
		for part := make([]byte, 4096); ; {
			n, err := r.Read(part)
			if read += int64(n); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if cap(r.room) > 3*size {
				t.Fatalf("%d KB of a request of %d KB are kept", cap(r.room)>>10, n*size>>10)
			}
		}
		if read != whole || read < n*size {
			t.Errorf("%d bytes read, %d announced", read, whole)
		}
	}
}

// However a body is read, its bytes are the same.
func TestBodyByBytes(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		b := NewBody("{", n, func(dst []byte, i int) ([]byte, error) { return append(dst, "piece"[:i]...), nil }, "}")
		want := "{" + strings.Join([]string{"", "p", "pi"}[:n], ",") + "}"
		slow, err := io.ReadAll(iotest.OneByteReader(b.reader()))
		fast, err2 := b.bytes(0)
		size, err3 := b.size()
		if err != nil || err2 != nil || err3 != nil || string(slow) != want || string(fast) != want || size != int64(len(want)) {
			t.Errorf("%q, %q, %d bytes, want %q", slow, fast, size, want)
		}
	}
}
