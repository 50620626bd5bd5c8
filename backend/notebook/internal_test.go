package notebook_test

import (
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

const internalMessage = `{"role":"user","content":"Go on.","is_internal":true}`

// parts describes the cells of a file: for each its role and the roles of its answer.
func parts(t *testing.T, messages ...string) string {
	t.Helper()
	text := fmt.Sprintf(`{"metadata":{"uuid":"a","name":"A"},"context":[%s]}`, strings.Join(messages, ","))
	nb, err := notebook.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := notebook.Parse(nb.Encoded().Bytes())
	if err != nil || again.Len() != nb.Len() {
		t.Errorf("read again it has %d cells, not %d; %v", again.Len(), nb.Len(), err)
	}
	var cells []string
	for _, c := range nb.View(0, nb.Len()).Cells {
		cell := string(c.Role)
		for _, m := range c.Body.Answer {
			cell += " " + string(m.Role)
			if m.Internal {
				cell += "*"
			}
		}
		cells = append(cells, cell)
	}
	return strings.Join(cells, "; ")
}

// A user message that the program added inside an answer belongs to it (SPEC 11.2).
// Everywhere else a user message begins a cell, and so does a summary.
func TestAMessageOfTheProgramBelongsToItsAnswer(t *testing.T) {
	const user, half, system = `{"role":"user","content":"x"}`, `{"role":"assistant","content":"half"}`, `{"role":"system","content":"s"}`
	const summary = `{"role":"user","content":"## Goal","is_internal":true,"metadata":{"cell_id":"s","compaction":{"covers":["c"]}}}`
	for _, c := range []struct {
		want     string
		messages []string
	}{
		{"user assistant user* assistant; user", []string{user, half, internalMessage, half, user}},
		{"user assistant user*", []string{user, half, internalMessage}},
		{"user; user assistant", []string{user, internalMessage, half}},
		{"user assistant", []string{internalMessage, half}},
		{"system; user assistant", []string{system, internalMessage, half}},
		{"assistant assistant user* assistant", []string{half, internalMessage, half}},
		{"user assistant; user; user", []string{user, half, summary, user}},
	} {
		if got := parts(t, c.messages...); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestARunPutsMessagesOfTheProgramBehindOthers(t *testing.T) {
	nb, err := notebook.Parse([]byte(`{"metadata":{"uuid":"a","name":"A"},"context":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cell := nb.CellIDs()[0]
	if _, err := nb.BeginRun(cell, notebook.RunInfo{}); err != nil {
		t.Fatal(err)
	}
	user := notebook.Message{Message: chat.Message{Role: chat.User, Content: chat.Text("Go on.")}}
	internal := user
	internal.Internal = true
	if err := nb.PutMessage(cell, 0, internal); !fault.Is(err, fault.Invalid) {
		t.Errorf("at the beginning of an answer: %v", err)
	}
	if err := nb.PutMessage(cell, 0, notebook.Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("half")}}); err != nil {
		t.Fatal(err)
	}
	if err := nb.PutMessage(cell, 1, user); !fault.Is(err, fault.Invalid) {
		t.Errorf("one of a person: %v", err)
	}
	if err := nb.PutMessage(cell, 1, internal); err != nil {
		t.Fatal(err)
	}
	if _, err := nb.EndRun(cell, notebook.RunInfo{}); err != nil {
		t.Fatal(err)
	}
	again, err := notebook.Parse(nb.Encoded().Bytes())
	if err != nil || again.Len() != 1 || again.View(0, 1).Cells[0].Messages != 2 {
		t.Fatalf("%d cells, %v", again.Len(), err)
	}
	turns, err := again.HistoryMessages(again.CellIDs()[0], "x")
	if err != nil || len(turns) != 1 {
		t.Errorf("its own request begins with %+v, %v", turns, err)
	}
}
