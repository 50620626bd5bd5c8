package openai

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"mutsumi/backend/provider"
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
		t.Error("a deep error says nothing")
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

// FuzzDecoder: whatever comes, the decoder ends, and neither it nor what
// reads its events panics.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"data: {}\n\n", "data: [DONE]", ": x\n", "error: {}\n\n", "data\n\ndata:\n\n", "event: a\ndata: b\ndata: c\n\n", "\xef\xbb\xbfid", "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"id\":\"a\"},{}]}}]}\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := newDecoder(strings.NewReader(s))
		st := stream{where: place{name: "n"}, emit: func(provider.Chunk) error { return nil }, calls: calls{}}
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
			_ = st.event(e.name, e.data)
		}
	})
}

func TestTooManyCalls(t *testing.T) {
	st := stream{where: place{name: "n"}, emit: func(provider.Chunk) error { return nil }, calls: calls{}}
	for i := range 1000 {
		if err := st.event("", fmt.Appendf(nil, `{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"ls","arguments":"{}"}}]}}]}`, i, i)); err != nil {
			if i != maxCalls {
				t.Errorf("given up at call %d", i)
			}
			return
		}
	}
	t.Error("a thousand calls were taken")
}

// BenchmarkDecoder has events of many lines without an end, which must not
// cost more than what they are long.
func BenchmarkDecoder(b *testing.B) {
	body := "data: [1,\n" + strings.Repeat("data: 1,\n", 100_000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := newDecoder(strings.NewReader(body)).next(); err != io.ErrUnexpectedEOF {
			b.Fatal(err)
		}
	}
}

// The text of a request is not kept while its answer streams, and is there for
// as long as somebody may need it.
func TestPayload(t *testing.T) {
	p := &payload{text: []byte("the whole conversation")}
	read := func(r io.Reader) string {
		t.Helper()
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for range 2 {
		r, _ := p.reader()
		if got := read(r); got != "the whole conversation" {
			t.Errorf("read %q", got)
		}
	}
	p.release()
	if p.text != nil {
		t.Error("an answer has come, and the text is still there")
	}

	p = &payload{text: []byte("the whole conversation")}
	r, _ := p.reader()
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	p.release()
	if got := read(r); got != "conversation" {
		t.Errorf("a server that answers early hears %q", got)
	}
	if p.text != nil {
		t.Error("all is sent, and the text is still there")
	}
}
