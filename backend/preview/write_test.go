package preview

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"mutsumi/backend/jsontext"
	"mutsumi/backend/prompt"
)

// The output has the members and values of the type, in its order, and the body of the request byte
// for byte.
func TestARequestIsWrittenWhole(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"<a> 請"},{"role":"tool"}]}`
	for _, n := range []NextRequest{
		{
			Messages:    [][]byte{[]byte(`{"role":"user","content":"<a> 請"}`), []byte(`{"role":"tool"}`)},
			AllowedURIs: []string{"/w", "<b>"}, IsSubAgent: true,
			Metadata: prompt.Saved{MacroContext: map[string]string{"A": "&"}, ContextItems: []prompt.ContextItem{{Type: "file", Key: "k", Content: "c"}}},
			Parts:    []prompt.Part{{ID: "a", Tokens: 1}, {ID: "b", Message: -1}}, Warnings: []prompt.Warning{{Text: "<w>"}}, Request: json.RawMessage(body),
		},
		{Messages: [][]byte{}, AllowedURIs: []string{}, Parts: []prompt.Part{}, Warnings: []prompt.Warning{}, Request: json.RawMessage(body)},
	} {
		var out, got bytes.Buffer
		if err := n.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		messages := make([]json.RawMessage, len(n.Messages))
		for i, m := range n.Messages {
			messages[i] = m
		}
		want, err := jsontext.Marshal(struct {
			Messages []json.RawMessage `json:"messages"`
			NextRequest
		}{messages, n})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&got, out.Bytes()); err != nil || got.String() != string(want) {
			t.Errorf("%v: wrote %s\nwant %s", err, out.String(), want)
		}
		if !bytes.HasSuffix(out.Bytes(), []byte("\n  \"request\": "+string(n.Request)+"\n}\n")) {
			t.Errorf("the body is not as it is sent: %s", out.String())
		}
	}
}

func TestARequestThatCannotBeWrittenIsAnError(t *testing.T) {
	n := NextRequest{Request: json.RawMessage("{}")}
	if err := n.WriteJSON(full{}); err == nil {
		t.Error("a full disk was taken for a whole output")
	}
	n.Metadata.ContextItems = []prompt.ContextItem{{Metadata: json.RawMessage("{")}}
	if err := n.WriteJSON(&bytes.Buffer{}); err == nil {
		t.Error("invalid JSON was written")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
