package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/jsontext"
)

// The block that is written into a body at once has the bytes that its text has there.
func FuzzTheBlockInABody(f *testing.F) {
	for _, s := range []string{
		"", "plain", "a\"\\\n\r\t\b\f\x00\x1f\x7f", "</content_reference>&", "请帮我 \u2028\u2029\ufffd", "a\xffb\xc3", "\xe2\x80", "😀", `\/ \u0041 \ud83d`,
	} {
		f.Add(s, s, s, s)
		f.Add("Read @[a.go]", "a.go", "package a\n", `{"uri":"<`+jsonOf(s)+`>"}`)
	}
	f.Fuzz(func(t *testing.T, before, key, content, args string) {
		b := writeBlock(before,
			[]*entry{{kind: KindRule, key: key, content: content, version: 2}, {kind: KindRule, key: "r.md", content: "x"}},
			[]*entry{{kind: KindFile, key: key, content: content}},
			[]*entry{{kind: KindTool, key: key, content: content, args: json.RawMessage(args)}, {kind: KindTool, key: "ls"}})
		got := b.AppendJSON([]byte("x"))
		text := b.String()
		if want := jsontext.AppendString([]byte("x"), text); string(got) != string(want) {
			t.Fatalf("got %s\nwant %s", got, want)
		}
		if text[:len(before)] != before || text[len(before):] != b.text() || (b.Size() == 0) != (text == "") {
			t.Fatalf("%q is not %q and the block, or not of size %d", text, before, b.Size())
		}
		end := 0
		for _, s := range b.spans {
			if s.start < end || s.end < s.start || s.end > len(b.text()) {
				t.Fatalf("the spans of %q are %+v", b.text(), b.spans)
			}
			end = s.end
		}
		if again := b.AppendJSON([]byte("x")); !slices.Equal(again, got) {
			t.Fatal("it differs once its text was made")
		}
	})
}

// A large block, which two goroutines write, too.
func TestALargeBlockInABody(t *testing.T) {
	for n := 1; n < 6; n++ {
		var files []*entry
		for i := range n {
			files = append(files, &entry{kind: KindFile, key: fmt.Sprint(i, ".go"), content: strings.Repeat(fmt.Sprint("\"", i, "\"\n上"), manyBytes/4)})
		}
		b := writeBlock("Read <this>", nil, files, nil)
		got := b.AppendJSON([]byte("x"))
		if want := jsontext.AppendString([]byte("x"), b.String()); !bytes.Equal(got, want) {
			t.Errorf("of %d files it differs", n)
		}
	}
}

func jsonOf(s string) string {
	q := jsontext.AppendString(nil, s)
	return string(q[1 : len(q)-1])
}
