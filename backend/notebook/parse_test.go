package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

func parsed(t *testing.T, text string) *Document {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d
}

func encoded(d *Document) string { return string(d.Encoded().Bytes()) }

// own returns text in the layout of JSON.stringify(x, null, 2).
func own(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func notebookOf(messages ...string) string {
	return `{"metadata":{"uuid":"u"},"context":[` + strings.Join(messages, ",") + `]}`
}

// Everything comes back, in its order and as it was written (SPEC 1.2).
func TestLossless(t *testing.T) {
	for name, text := range map[string]string{
		"unknown keys at every level":   `{"v":3,"metadata":{"uuid":"u","z":{"a":[1,{"b":[]}]},"name":"n"},"more":[{}],"context":[{"k":1,"role":"user","content":"q","deep":{"x":[[],{}]}}],"end":null}`,
		"context before metadata":       `{"context":[{"content":"q","role":"user"}],"metadata":{}}`,
		"number text":                   notebookOf(`{"role":"user","content":"q","n":[1.0,1e3,1E+3,12345678901234567890,-0,0.10,1e-999]}`),
		"escapes as they were written":  notebookOf(`{"role":"user","content":"\u0041\/\u00e9\ud83d\ude00 \u2028 </script>&"}`),
		"half a surrogate pair":         notebookOf(`{"role":"user","content":"\ud800 and \udc00"}`),
		"duplicate keys":                `{"metadata":{"uuid":"a","uuid":"b"},"context":[],"context":[{"role":"user","role":"assistant","content":"x","content":"y"}],"x":1,"x":2}`,
		"duplicate metadata":            `{"metadata":{"uuid":"a"},"metadata":{"uuid":"b"},"context":[]}`,
		"escaped keys":                  "{\"meta\\u0064ata\":{},\"context\":[{\"r\\u006fle\":\"user\",\"content\":\"q\"}]}",
		"odd contents":                  notebookOf(`{"role":"user"}`, `{"role":"user","content":7}`, `{"role":"user","content":{"a":1}}`, `{"role":"assistant","content":["bare",{"type":"text"},{"type":"odd"},3]}`),
		"roles that nobody knows":       notebookOf(`{"role":"developer","content":"x"}`, `{"role":"user","content":"q"}`, `{"role":"function","content":"y"}`),
		"metadata of the wrong types":   `{"metadata":{"uuid":5,"name":null,"allowed_uris":"x","mutsumi_branches":{"not":"ours"}},"context":[{"role":"user","content":"q","metadata":"text"}]}`,
		"branches of another form":      `{"metadata":{"mutsumi_branches":[1,{"id":"x"},{"id":"b","messages":[{"role":"user"}],"own":true}]},"context":[]}`,
		"control characters, escaped":   notebookOf(`{"role":"user","content":"\u0000\u001f\b\f\n\r\t\"\\"}`),
		"text of several bytes":         notebookOf(`{"role":"user","content":"你好 😀 é"}`),
		"empty keys and texts":          `{"":"","metadata":{"":{}},"context":[{"":[],"role":"user","content":""}]}`,
		"a key that looks like context": `{"metadata":{"context":[1]},"x":{"context":[{"role":5}]},"context":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			want := own(t, text)
			d := parsed(t, text)
			if got := encoded(d); got != want {
				t.Errorf("saved:\n%s\nwant:\n%s", got, want)
			}
			if got := encoded(parsed(t, want)); got != want {
				t.Errorf("saved again:\n%s\nwant:\n%s", got, want)
			}
			d.View(0, 99)
			d.CellsJSON()
			// an edit somewhere else changes none of it
			if _, err := d.Apply([]Edit{{Kind: EditInsert, Text: "new"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Undo(); err != nil {
				t.Fatal(err)
			}
			if got := encoded(d); got != want {
				t.Errorf("after an edit and undo:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestByteOrderMarkIsReadAndNotKept(t *testing.T) {
	if got, want := encoded(parsed(t, "\uFEFF"+notebookOf()+"\n")), own(t, notebookOf()); got != want {
		t.Errorf("saved %q, want %q", got, want)
	}
}

func TestTheLastDuplicateCounts(t *testing.T) {
	d := parsed(t, `{"metadata":{"name":"a","name":"b"},"context":[{"role":"user","content":"x","content":"y"}]}`)
	if v := d.View(0, 1); v.Meta.Name != "b" || v.Cells[0].Body.Text != "y" {
		t.Errorf("%+v %+v", v.Meta, v.Cells[0].Body)
	}
	d.SetName("c")
	if _, err := d.Apply([]Edit{{Kind: EditSetText, Cell: d.cells.list[0].id, Text: "z"}}); err != nil {
		t.Fatal(err)
	}
	want := own(t, `{"metadata":{"name":"a","name":"c"},"context":[{"role":"user","content":"x","content":"z"}]}`)
	if got := encoded(d); got != want {
		t.Errorf("saved %s", got)
	}
}

func TestDamageIsReportedWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		message      string
		repairable   bool
	}{
		{"", 1, 1, "empty", false},
		{" \n ", 2, 2, "empty", false},
		{"[]", 1, 1, "starts with {", false},
		{"{}", 1, 1, `"metadata" is missing`, false},
		{"{\"metadata\": {},\n \"contxt\": []}", 1, 1, `"context" is missing`, true},
		{"{\"metadata\": {},\n \"context\": [5]}", 2, 14, "must be an object", true},
		{"{\"metadata\": {},\n \"context\": [{\"content\":\"x\"}]}", 2, 14, "no role", true},
		{"{\"metadata\": {},\n \"context\": [{\"role\":1}]}", 2, 22, "must be a text", true},
		{"{\"metadata\": [],\n \"context\": []}", 1, 14, "must be an object", false},
		{"{\"metadata\": {},\n\"x\": \"你好\", 5", 2, 12, "key in double quotes", true},
		{"{\"metadata\": {},\r\n\t\"context\": [\r\n\t]", 3, 3, "too early", true},
		{"{\"metadata\": {\"a\": \"x\ny\"}}", 1, 22, "raw line break", true},
		{"{\"metadata\": {\"a\": \"x\\q\"}}", 1, 22, "escape", true},
		{"{\"metadata\": {},}", 1, 17, "comma too many", true},
		{"{\"metadata\": {}, \"context\": []} x", 1, 33, "after the end", true},
		{"{\"metadata\": {\"a\": \"\xff\"}}", 1, 21, "not UTF-8", true},
		{"\uFEFF{\"metadata\": 1}", 1, 14, "must be an object", false},
		{`{"metadata": ` + strings.Repeat("[", 100000), 1, 14, "must be an object", false},
		{`{"x": ` + strings.Repeat("[", 100000), 1, 1006, "too deeply", false},
		{notebookOf(`{"role":"user","content":01}`), 1, 63, "start with 0", true},
	} {
		_, err := Parse([]byte(c.text))
		damage, ok := errors.AsType[*DamagedError](err)
		if !ok {
			t.Errorf("%.60q: %v", c.text, err)
			continue
		}
		p := damage.Problem
		if p.Line != c.line || p.Column != c.column || !strings.Contains(p.Message, c.message) || p.Repairable != c.repairable {
			t.Errorf("%.60q: %+v, want %d:%d %s %v", c.text, p, c.line, c.column, c.message, c.repairable)
		}
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%.60q: kind %s", c.text, fault.Of(err).Kind)
		}
	}
}

func TestCharsAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		`""`: 0, `"abc"`: 3, `"你好"`: 2, `"\n\u0041"`: 2, `"\ud83d\ude00"`: 1, `"\ud83dx\ude00"`: 3, `"😀 long enough for a word or two é"`: 33,
		`[{"type":"text","text":"ab"},{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"c"}]`: 3, `null`: 0, `5`: 0,
	} {
		d := parsed(t, notebookOf(`{"role":"user","content":`+text+`}`))
		if got := d.cells.list[0].prompt.chars(); got != want {
			t.Errorf("%s: %d characters, want %d", text, got, want)
		}
		if s := unquote([]byte(text)); isString([]byte(text)) && utf8.RuneCountInString(s) != want {
			t.Errorf("%s: %d runes in %q, want %d", text, utf8.RuneCountInString(s), s, want)
		}
	}
}

func TestQuoteIsThatOfJSONStringify(t *testing.T) {
	in := "a\"\\/\b\f\n\r\t\x00\x1f\x7f é你😀\u2028</script>&\xff"
	want := `"a\"\\/\b\f\n\r\t\u0000\u001f` + "\x7f é你😀\u2028</script>&\uFFFD" + `"`
	got := jsontext.AppendString(nil, in)
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if back := unquote(got); back != strings.ToValidUTF8(in, "\uFFFD") {
		t.Errorf("back %q", back)
	}
}

// A hostile file cannot make saving it grow without measure.
func TestLayoutIsBounded(t *testing.T) {
	deep := strings.Repeat("[", 900) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 900)
	text := notebookOf(`{"role":"user","content":"q","x":` + deep + `}`)
	first := encoded(parsed(t, text))
	if len(first) > 20*len(text) {
		t.Fatalf("%d bytes became %d", len(text), len(first))
	}
	if again := encoded(parsed(t, first)); again != first {
		t.Error("saving again changes the file")
	}
}

func TestIDs(t *testing.T) {
	text := notebookOf(
		`{"role":"user","content":"a","metadata":{"cell_id":"mine"}}`, `{"role":"user","content":"b","metadata":{"cell_id":"mine"}}`,
		`{"role":"user","content":"c","metadata":{"cell_id":"<bad>"}}`, `{"role":"user","content":"same"}`, `{"role":"user","content":"same"}`, `{"role":"system","content":"s"}`)
	d, again := parsed(t, text), parsed(t, text)
	seen := map[string]bool{}
	for i, id := range d.CellIDs() {
		if seen[id] || !validID(id) {
			t.Errorf("id %q", id)
		}
		seen[id] = true
		if again.cells.list[i].id != id {
			t.Errorf("cell %d: %s, loaded again %s", i, id, again.cells.list[i].id)
		}
	}
	if d.cells.list[0].id != "mine" {
		t.Errorf("first id %q", d.cells.list[0].id)
	}
	if got := encoded(d); got != own(t, text) {
		t.Errorf("ids were written into an untouched file:\n%s", got)
	}
}

func TestNew(t *testing.T) {
	d := New("id", "Name <b>", "", []string{"/ws"}, workloadTime)
	want := `{
  "metadata": {
    "uuid": "id",
    "name": "Name <b>",
    "created_at": "2026-02-08T00:00:00.000Z",
    "parent_agent_id": null,
    "allowed_uris": [
      "/ws"
    ]
  },
  "context": []
}`
	if got := encoded(d); got != want {
		t.Errorf("new notebook:\n%s", got)
	}
	if !d.Dirty() {
		t.Error("a new notebook is not dirty")
	}
	d.SetParent("p")
	d.SetModel("prov", "mod")
	d.SetFinished(true)
	if err := d.SetMacroContext(json.RawMessage(`{"A":"1"}`)); err != nil {
		t.Fatal(err)
	}
	if err := d.SetContextItems(json.RawMessage(`[{]`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("bad JSON: %v", err)
	}
	m := parsed(t, encoded(d)).Meta()
	if m.ParentID != "p" || m.Provider != "prov" || m.Model != "mod" || !m.Finished || m.Allowed[0] != "/ws" {
		t.Errorf("%+v", m)
	}
	if got := string(d.MacroContext()); own(t, got) != own(t, `{"A":"1"}`) {
		t.Errorf("macros %s", got)
	}
}

// FuzzParse checks that a text that was read is valid JSON, and that saving it changes nothing but
// white space, once.
func FuzzParse(f *testing.F) {
	f.Add([]byte(mixed))
	f.Add([]byte(indented(mixed)))
	f.Add([]byte(notebookOf(`{"role":"user","content":"\ud83d\ude00 \u00e9 é","metadata":{"run":{"outcome":"running"}}}`, `{"role":"tool"}`)))
	f.Add([]byte(`{"metadata":{"mutsumi_branches":[{"id":"b","cell":"c","scope":"tail","messages":[{"role":"assistant","content":"x"},{"role":"user"}]}]},"context":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		bare := bytes.TrimPrefix(text, byteOrderMark)
		if err != nil {
			if repaired, _, err := Repair(text); err == nil {
				checkFile(t, repaired)
			}
			return
		}
		if !json.Valid(bare) {
			t.Fatalf("not JSON, but read: %q", text)
		}
		saved := d.Encoded().Bytes()
		if got, want := compacted(saved), compacted(bare); !bytes.Equal(got, want) {
			t.Fatalf("saved %s\nof %s", got, want)
		}
		d.View(0, d.Len())
		if _, err := d.Apply([]Edit{{Kind: EditInsert, Text: string(text)}}); err != nil {
			t.Fatal(err)
		}
		checkFile(t, d)
		for i, b := range d.meta.branches {
			if !b.foreign {
				_, _ = d.Apply([]Edit{{Kind: EditRestore, Branch: b.id}})
				checkFile(t, d)
			}
			if i > 3 {
				break
			}
		}
	})
}

func compacted(text []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func indented(text string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		panic(err)
	}
	return b.String()
}

// FuzzQuote checks that any text can be read again.
func FuzzQuote(f *testing.F) {
	f.Add("a\"\\\x00\u2028😀\xff")
	f.Fuzz(func(t *testing.T, s string) {
		raw := jsontext.AppendString(nil, s)
		if got, want := unquote(raw), strings.ToValidUTF8(s, "\uFFFD"); got != want && utf8.ValidString(s) {
			t.Fatalf("%q became %q", want, got)
		}
		scan := scanner{b: raw}
		if !scan.str() || scan.i != len(raw) || scan.chars != utf8.RuneCount([]byte(unquote(raw))) {
			t.Fatalf("%q: %s at %d, %d characters", raw, scan.fail, scan.i, scan.chars)
		}
		var std string
		if err := json.Unmarshal(raw, &std); err != nil || std != unquote(raw) {
			t.Fatalf("%q: %v", raw, err)
		}
	})
}

func TestDecodedHistory(t *testing.T) {
	d := parsed(t, mixed)
	h := decoded(t, d, d.cells.list[5].id)
	answer, err := d.Answer(d.cells.list[5].id)
	if err != nil {
		t.Fatal(err)
	}
	h = append(h, answer...)
	if len(h) != 10 || !reflect.DeepEqual(h[2].ToolCalls[0], chat.ToolCall{ID: "a", Type: "function", Function: chat.Function{Name: "ls", Arguments: "{}"}, Extra: map[string]json.RawMessage{"extra": json.RawMessage("true")}}) ||
		h[3].Name != "ls" || h[4].ReasoningContent != "why" || !h[2].Content.Null || len(h[7].Content.Parts) != 3 {
		t.Errorf("history %+v", h)
	}
	if h = decoded(t, d, d.cells.list[1].id); len(h) != 2 || fmt.Sprint(h[1].Content) != "one" {
		t.Errorf("history %+v", h)
	}
	if _, err := d.Answer("nobody"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an answer of no cell: %v", err)
	}
}

// decoded returns the messages up to a cell's prompt.
func decoded(t *testing.T, d *Document, id string) (h []chat.Message) {
	t.Helper()
	turns, err := d.HistoryMessages(id, "sent")
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		h = append(h, turn.Message)
	}
	return h
}

// A notebook in memory costs at most three times its file, however that is
// laid out.
func TestMemory(t *testing.T) {
	file := workload(8 << 20)
	for name, text := range map[string][]byte{
		"own layout": file, "compact": compacted(file), "another": bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n")),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := Parse(text)
		must(t, err)
		runtime.ReadMemStats(&after)
		if used := int(after.TotalAlloc - before.TotalAlloc); used > 2*len(text) {
			t.Errorf("%s: %d bytes for a file of %d, which is held too", name, used, len(text))
		}
		runtime.KeepAlive(d)
	}
}
