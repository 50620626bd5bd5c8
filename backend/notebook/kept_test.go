package notebook

import (
	"encoding/json"
	"reflect"
	"testing"

	"mutsumi/backend/chat"
)

// Data that a model wants back with its answer is the same, byte by byte, after the file was
// written, laid out and read again.
func TestKeptIsKept(t *testing.T) {
	d := parsed(t, notebookOf(`{"role":"user","content":"q"}`))
	id := d.cells.list[0].id
	_, err := d.BeginRun(id, RunInfo{Model: "m"})
	must(t, err)
	kept := &chat.Kept{Maker: "messages host m", Items: []chat.KeptItem{
		{Item: json.RawMessage(`{"type":"thinking","thinking":"a <b> & \n \"c\" ☂","signature":"Ab+/=="}`)},
		{Text: 3, Calls: 1, Item: json.RawMessage(`{"type":"reasoning","summary":[{"text":"x"},{}],"n":1.50,"z":null,"a":[]}`)},
	}}
	must(t, d.PutMessage(id, 0, Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("abc"), Kept: kept}}))
	_, err = d.EndRun(id, RunInfo{Outcome: Done})
	must(t, err)
	again := parsed(t, string(checkFile(t, d)))
	for name, d := range map[string]*Document{"in memory": d, "read again": again} {
		got := d.cells.list[0].answer[0].decode().Kept
		if !reflect.DeepEqual(got, kept) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Malformed items in a file do no harm.
func TestOddKept(t *testing.T) {
	for _, kept := range []string{`7`, `{}`, `{"maker":"m","items":[{}]}`, `{"maker":"m","items":[{"text":"x","item":[1]},7]}`} {
		d := parsed(t, notebookOf(`{"role":"user","content":"q"}`, `{"role":"assistant","content":"a","metadata":{"kept":`+kept+`}}`))
		if m := d.cells.list[0].answer[0].decode(); m.Content.String() != "a" {
			t.Errorf("%s: %+v", kept, m)
		}
	}
}
