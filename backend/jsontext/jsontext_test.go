package jsontext_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"mutsumi/backend/jsontext"
)

func TestNothingIsEscapedForHTML(t *testing.T) {
	got, err := jsontext.Append([]byte("x:"), map[string]any{"a": "<b>&amp;", "n": []int{1, 2}})
	if err != nil || string(got) != `x:{"a":"<b>&amp;","n":[1,2]}` {
		t.Errorf("%s, %v", got, err)
	}
	got, err = jsontext.Indented(map[string]string{"a": "<"})
	if err != nil || string(got) != "{\n  \"a\": \"<\"\n}\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := jsontext.Marshal(json.RawMessage("{")); err == nil {
		t.Error("invalid JSON was written")
	}
}

func FuzzStrings(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n\r\t\b\f\x00\x1f\x7f", "</content_reference>", "请帮我 \u2028", "a\xffb\xc3", "😀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tagless := jsontext.AppendTagless(nil, s)
		for _, text := range [][]byte{jsontext.AppendString(nil, s), tagless} {
			var got string
			if err := json.Unmarshal(text, &got); err != nil || got != string([]rune(s)) {
				t.Fatalf("%q became %s and %q, %v", s, text, got, err)
			}
		}
		if bytes.ContainsAny(tagless, "<>") {
			t.Fatalf("%q contains a tag", s)
		}
	})
}
