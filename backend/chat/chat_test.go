package chat

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"mutsumi/backend/jsontext"
)

func TestContentKeepsItsForm(t *testing.T) {
	for _, text := range []string{
		`null`, `""`, `"<b>&amp;"`, `[]`, `[{"type":"text","text":"a"}]`,
		`[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:,","detail":"high"}}]`,
	} {
		var c Content
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := c.MarshalJSON()
		if err != nil || string(got) != text {
			t.Errorf("%s came back as %s, %v", text, got, err)
		}
	}
	for _, text := range []string{`7`, `{}`, `true`, `[7]`} {
		if err := json.Unmarshal([]byte(text), &Content{}); err == nil {
			t.Errorf("%s is no content", text)
		}
	}
}

func TestContentString(t *testing.T) {
	c := Content{text: "not this", Parts: []Part{{Type: PartText, Text: "a"}, {Type: PartImage}, {Type: PartText, Text: "b"}}}
	if c.String() != "ab" || c.IsEmpty() || !(Content{Null: true}).IsEmpty() || !(Content{Parts: []Part{}}).IsEmpty() {
		t.Errorf("got %q", c.String())
	}
}

func TestUsageAdds(t *testing.T) {
	got := Usage{1, 2, 3, 4, false, 5}.Add(Usage{10, 20, 30, 40, true, 50})
	if got != (Usage{11, 22, 33, 44, true, 55}) {
		t.Errorf("got %+v", got)
	}
}

func TestAToolCallKeepsWhatAServerAdded(t *testing.T) {
	const text = `{"id":"a","type":"function","function":{"name":"ls","arguments":"{\"q\":\"<b>\"}"},"extra_content":{"google":{"thought_signature":"<a+/=>"}},"z":1}`
	var c ToolCall
	if err := json.Unmarshal([]byte(text), &c); err != nil || len(c.Extra) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if got, err := jsontext.Marshal(c); err != nil || string(got) != text {
		t.Errorf("got %s, %v", got, err)
	}
	plain := `{"id":"a","type":"function","function":{"name":"ls","arguments":""}}`
	if err := json.Unmarshal([]byte(`{"index":0,"extra":null,`+plain[1:]), &c); err != nil || c.Extra != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	if got, err := jsontext.Marshal([]ToolCall{c}); err != nil || string(got) != "["+plain+"]" {
		t.Errorf("got %s, %v", got, err)
	}
	if Extras([]byte(`7`)) != nil || json.Unmarshal([]byte(`{"id":7}`), &c) == nil {
		t.Error("that is no call")
	}
}

func TestTheSizeOfADocument(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 40, 41, 42, 1000, 1001, 1002} {
		f := File{Data: "data:application/pdf;base64," + base64.StdEncoding.EncodeToString(make([]byte, size))}
		if got := f.Size(); got != size {
			t.Errorf("%d bytes are %d", size, got)
		}
	}
	if got := (&File{}).Size(); got != 0 {
		t.Errorf("nothing has %d bytes", got)
	}
}
