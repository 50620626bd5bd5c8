package lenientjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"mutsumi/backend/lenientjson"
)

func TestObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:                      `{"a":1}`,
		`{"a":1,}`:                     `{"a":1}`,
		`{"a":[1,2,],}`:                `{"a":[1,2]}`,
		`{"a":"b`:                      `{"a":"b"}`,
		`{"a":{"b":[1`:                 `{"a":{"b":[1]}}`,
		`{"a":`:                        `{"a":null}`,
		`{"a"`:                         `{"a":null}`,
		`{'a':'it''s'}`:                ``,
		`{a: True, b: None, c: False}`: `{"a":true,"b":null,"c":false}`,
		"{\"a\":\"x\ny\tz\"}":          `{"a":"x\ny\tz"}`,
		`"{\"a\":1}"`:                  `{"a":1}`,
		`{}{"a":1}`:                    `{"a":1}`,
		`{}`:                           `{}`,
		`{"a":"C:\Users\x"}`:           `{"a":"C:\\Users\\x"}`,
		`{"a":"é"}`:                    `{"a":"é"}`,
		`{"a":"\ud83d\ude00"}`:         `{"a":"😀"}`,
		`{"a":"\uZZ"}`:                 `{"a":"\\uZZ"}`,
		`{"a":src/main.ts}`:            `{"a":"src/main.ts"}`,
		`call: {"a":1} thanks`:         `{"a":1}`,
		`{"a":-1.5e3}`:                 `{"a":-1.5e3}`,
		`nothing`:                      ``,
		``:                             ``,
		`{"a" 1}`:                      ``,
		`{"a":,}`:                      ``,
		`{"a":1]`:                      ``,
		`{"a":[1}, and so on`:          `{"a":[1]}`,
		`{a="it\'s"}`:                  `{"a":"it's"}`,
		`{"a":"\ud83d"}`:               `{"a":"\ud83d"}`,
		`{"a":"x\u00`:                  `{"a":"x"}`,
		"{\"a\":\"\xff\"}":             "{\"a\":\"\uFFFD\"}",
		strings.Repeat(`{"a":`, 201):   ``,
	} {
		got, ok := lenientjson.Object(in)
		if ok != (want != "") || string(got) != want {
			t.Errorf("%q gave %s, %v; want %s", in, got, ok, want)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{a:'b'`, `{"a":"\u12`, "{\x00}", `{}{}{}{}{}`, `{"a":[{"b":`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, ok := lenientjson.Object(s)
		var object map[string]any
		if ok && json.Unmarshal(out, &object) != nil {
			t.Errorf("%q gave %s, which is no object", s, out)
		}
		if again, _ := lenientjson.Object(string(out)); ok && string(again) != string(out) {
			t.Errorf("%q gave %s, and that %s", s, out, again)
		}
		if json.Unmarshal([]byte(s), &object) == nil && object != nil && !ok {
			t.Errorf("%q is a good object and was refused", s)
		}
	})
}

func TestValue(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b`:                               `{"a":"b"}`,
		`{"a":"b\u00`:                           `{"a":"b"}`,
		`{"a":"b\`:                              `{"a":"b"}`,
		`{"a":"C:\Users"}`:                      `{"a":"C:\\Users"}`,
		`{"a":"\x"}`:                            `{"a":"\\x"}`,
		`{"a":"\ud800"}`:                        `{"a":"\ud800"}`,
		`{"a":[{"b":1}`:                         `{"a":[{"b":1}]}`,
		`{"a":[1},"b":2}`:                       `{"a":[1],"b":2}`,
		`{"a":1]`:                               `{"a":1}`,
		`{"a" "b":1}`:                           `{"b":1}`,
		`{a:1,"b":'c',"d":,"e":e}`:              `{"b":null,"d":null,"e":null}`,
		`[1 2,,3:4]`:                            `[1,2,3,4]`,
		"{\"a\":\"x\ny\"}":                      `{"a":"x\ny"}`,
		"{\"a\":\"x,\n  \"b\":1}":               `{"a":"x","b":1}`,
		"{\"a\":\"x,\r\n\"b\":1}":               `{"a":"x","b":1}`,
		"[\"x\xffy\x00\"]":                      "[\"x\uFFFDy\\u0000\"]",
		``:                                      `null`,
		`nothing`:                               `null`,
		`:`:                                     `null`,
		strings.Repeat(`[`, 1000):               strings.Repeat(`[`, 200) + `null` + strings.Repeat(`]`, 200),
		`{"metadata":{"uuid":"u"},"context":[{`: `{"metadata":{"uuid":"u"},"context":[{}]}`,
	} {
		if got := lenientjson.Value([]byte(in)); string(got) != want {
			t.Errorf("%q gave %s, want %s", in, got, want)
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{a:'b'`, `{"a":"\u12`, "[\x00}", `[1:"\ud83d\ude00"]`, `{"a":[{"b":`, "{\"a\":\"x,\n  \"b\":1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := lenientjson.Value([]byte(s))
		var got, want any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%q gave %s: %v", s, out, err)
		}
		if again := lenientjson.Value(out); string(again) != string(out) {
			t.Errorf("%q gave %s, and that %s", s, out, again)
		}
		if utf8.ValidString(s) && json.Unmarshal([]byte(s), &want) == nil && !reflect.DeepEqual(got, want) && !strings.Contains(s, strings.Repeat("[", 150)) {
			t.Errorf("%q is sound and became %s", s, out)
		}
	})
}

func BenchmarkValue(b *testing.B) {
	text := []byte(`{"role":"tool","content":"` + strings.Repeat(`a line of text\n\tand \"more\"`, 10_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		lenientjson.Value(text)
	}
}
