package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mutsumi/backend/chat"
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
		st := stream{where: requestContext{name: "n"}, emit: func(provider.Chunk) error { return nil }, calls: calls{}}
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
	st := stream{where: requestContext{name: "n"}, emit: func(provider.Chunk) error { return nil }, calls: calls{}}
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

// The text of a request is made while it is sent: what is in memory of it is
// about one message, however long the conversation is.
func TestBodyIsMadeMessageByMessage(t *testing.T) {
	const n, size = 200, 64 << 10
	said := strings.Repeat("line\n", size/5)
	list := make([]chat.Message, n)
	for i := range list {
		list[i] = chat.Message{Role: chat.User, Content: chat.Text(said)}
	}
	b, err := encode(provider.Request{Model: "m", Messages: list}, 0, "host")
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
			if cap(r.room) > 3*size || len(b.head) > 1000 {
				t.Fatalf("%d KB are kept of a request of %d KB", cap(r.room)>>10, n*size>>10)
			}
		}
		if read != b.size || read < n*size {
			t.Errorf("%d bytes read, %d are said", read, b.size)
		}
	}
}

func TestBodyIsValid(t *testing.T) {
	for _, list := range [][]chat.Message{nil, {{Role: chat.User}}, {{Role: chat.User, Content: chat.Text("<b>\n")}, {Role: chat.Tool, ToolCallID: "a"}}} {
		b, err := encode(provider.Request{Model: "m", Messages: list}, 0, "host")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(iotest.OneByteReader(b.reader()))
		var got struct {
			Model    string
			Messages []chat.Message
		}
		if err != nil || json.Unmarshal(text, &got) != nil || int64(len(text)) != b.size || got.Model != "m" || len(got.Messages) != len(list) {
			t.Errorf("%v, %d bytes of %d: %s", err, len(text), b.size, text)
		}
	}
	bad := chat.ToolCall{ID: "a", Extra: map[string]json.RawMessage{"x": json.RawMessage("{")}}
	if _, err := encode(provider.Request{Messages: []chat.Message{{Role: chat.Assistant, ToolCalls: []chat.ToolCall{bad}}}}, 0, "host"); err == nil {
		t.Error("what is no JSON was taken")
	}
}
