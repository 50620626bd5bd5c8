package notebook

import (
	"encoding/json"
	"strings"
	"testing"

	"mutsumi/backend/jsontext"
)

// FuzzHanded checks that a text that is passed on as it is in the file has the bytes that reading
// and writing it would give. raw is the inside of a JSON string.
func FuzzHanded(f *testing.F) {
	for _, raw := range []string{
		"", "plain", `a\"b\\c\nd\te\rf\bg\fh`, `\/`, `a/b`, `\u0041`, `\u000a`, `\u0000`, `\u001f`, `\u001F`, `\u000b`, `\u007f`, "\x7f", `\u2028`, "\u2028\u2029", `\ud83d\ude00`, "😀",
		`\ud83d`, `\ude00\ud83d`, `\ud83dx`, `\ud83d\n`, "<b>&amp;</b>", `\u003cb\u003e`, "\xff", "a\xc3", "\xed\xa0\x80", "请帮我", `12345678\"2345678\/`, `\\u0041`, `\\/`, `\"}`,
	} {
		f.Add(raw, "")
		f.Add(raw, `, "content": "the last one counts\/"`)
		f.Add(`first\/`, `, "c\u006fntent": "`+raw+`"`)
		f.Add(raw, `, "content": null`)
		f.Add(raw, `, "content": [{"type": "text", "text": "x"}]`)
	}
	f.Fuzz(func(t *testing.T, raw, more string) {
		if strings.ContainsAny(more, "{") && !strings.Contains(more, `"type": "text"`) {
			return
		}
		file := `{"metadata": {}, "context": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "` + raw + `"` + more + `}]}`
		d, err := Parse([]byte(file))
		if err != nil {
			if json.Valid([]byte(file)) && strings.ToValidUTF8(file, "") == file && more == "" {
				t.Fatalf("%s: %v", file, err)
			}
			return
		}
		cell := d.cells.list[0]
		for _, m := range cell.answer {
			read, handed := m.decode().Content, m.handed().Content
			if got, want := handed.AppendJSON(nil), jsontext.AppendString(nil, read.String()); string(got) != string(want) {
				t.Fatalf("%s is handed on as %s, read and written it is %s", m.raw(), got, want)
			}
			if got, _ := handed.MarshalJSON(); m.own && string(got) != string(get(m.raw(), "content")) {
				t.Fatalf("%s became %s", m.raw(), got)
			}
			if handed.String() != read.String() || (handed.Size() == 0) != (read.String() == "") || handed.Null != read.Null || len(handed.Parts) != len(read.Parts) {
				t.Fatalf("%s is handed on as %+v, it is %+v", m.raw(), handed, read)
			}
		}
	})
}

// Text that the program writes is passed on as it is, escapes included.
func TestWhatTheProgramWritesIsHandedOn(t *testing.T) {
	text := "a\"\\\n\r\t\b\f\x00\x01\x1f\x7f <b> 请 😀 \u2028 /"
	file := `{"metadata": {}, "context": [{"role": "user", "content": "q"}, {"role": "assistant", "content": ` + string(jsontext.AppendString(nil, text)) + `}]}`
	d, err := Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range d.cells.list[0].answer {
		if !m.own || m.handed().Content.String() != text {
			t.Errorf("%s is read and written again, own %v", m.raw(), m.own)
		}
	}
}
