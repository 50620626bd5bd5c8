package notebook

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// testdata/serializer.json is a copy of the project's shared vectors: a file's
// text, the cells in it and the text after load and save. Of a cell, role,
// text and messages matter.
//
// Where SPEC overrules: values of cells without a prompt are rendered Markdown
// in the vectors ("**System**: s", tool calls as quotes). SPEC 1.3 and 10 ask
// for the text, so the text of a note is compared with its content and the
// text of an answer is not compared; its messages are.
type vector struct {
	ID             string
	Input          string
	Cells          []vectorCell
	EditedCells    []vectorCell
	Serialized     string
	IdenticalBytes bool
}

type vectorCell struct {
	Value    string
	Metadata struct {
		Role     string
		Messages []json.RawMessage `json:"mutsumi_interaction"`
	}
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/serializer.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 29 {
		t.Fatalf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			d, err := Parse([]byte(v.Input))
			if err != nil {
				t.Fatal(err)
			}
			checkCells(t, d, v.Cells)
			editAsVector(t, d, v)
			if got := string(d.Encoded().Bytes()); got != v.Serialized {
				t.Errorf("saved:\n%s\nwant:\n%s", got, v.Serialized)
			} else if (got == v.Input) != v.IdenticalBytes {
				t.Errorf("identical: %v, want %v", got == v.Input, v.IdenticalBytes)
			}
		})
	}
}

// editAsVector makes the cells that the vector has after its edit.
func editAsVector(t *testing.T, d *Document, v vector) {
	var err error
	switch v.ID {
	case "edit-assistant-no-interaction":
		_, err = d.Apply([]Edit{{Kind: EditSetText, Cell: d.cells.list[0].id, Text: v.EditedCells[0].Value}})
	case "edit-move":
		_, err = d.Apply([]Edit{{Kind: EditMove, Cell: d.cells.list[1].id, Before: d.cells.list[0].id}})
	default:
		if v.EditedCells != nil {
			t.Fatal("a vector with an edit that the test does not know")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func checkCells(t *testing.T, d *Document, want []vectorCell) {
	t.Helper()
	var got []struct {
		Role, Text string
		Messages   []json.RawMessage
	}
	if err := json.Unmarshal(d.CellsJSON(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d cells, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Role != w.Metadata.Role {
			t.Errorf("cell %d: role %s, want %s", i, g.Role, w.Metadata.Role)
		}
		text := w.Value
		switch g.Role {
		case "system":
			text = text[len("**System**: "):]
		case "assistant":
			text = g.Text
		}
		if g.Text != text {
			t.Errorf("cell %d: text %q, want %q", i, g.Text, text)
		}
		if len(g.Messages) != len(w.Metadata.Messages) {
			t.Fatalf("cell %d: %d messages, want %d", i, len(g.Messages), len(w.Metadata.Messages))
		}
		for k := range g.Messages {
			if !reflect.DeepEqual(value(t, g.Messages[k]), value(t, w.Metadata.Messages[k])) {
				t.Errorf("cell %d message %d: %s, want %s", i, k, g.Messages[k], w.Metadata.Messages[k])
			}
		}
	}
}

// value reads JSON text for a comparison that ignores escaping.
func value(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
