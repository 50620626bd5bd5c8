package prompt_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/pdf/pdftest"
	"mutsumi/backend/prompt"
	"mutsumi/backend/tokens"
)

func papers(t *testing.T, files map[string][]byte) string {
	t.Helper()
	ws := t.TempDir()
	for name, data := range files {
		must(t, os.WriteFile(filepath.Join(ws, name), data, 0o600))
	}
	return ws
}

func warningsOf(r prompt.Result) (text string) {
	for _, w := range r.Warnings {
		text += w.Text + "\n"
	}
	return text
}

// SPEC 5.6: a document is a part in the order of the text; it has a part in the ledger with its
// name, pages, size and tokens. As with images, an untrusted folder changes nothing about documents
// that the person links.
func TestADocumentIsAPart(t *testing.T) {
	data := pdftest.Plain(3)
	for _, trusted := range []bool{true, false} {
		out := build(t, prompt.Input{
			Workspace: papers(t, map[string][]byte{"a b.pdf": data}), Documents: chat.Documents{Taken: true}, Trusted: trusted, Model: "claude-x",
			Prompt: chat.Text("#define P a b.pdf\nRead ![this]({{P}}), then\n![this](<a b.pdf>) again"), Cell: "c1",
		})
		m := out.Messages[len(out.Messages)-1].Content.Parts
		if len(m) != 5 || m[0].Text != "Read " || m[2].Text != ", then\n" || m[4].Text != " again" {
			t.Fatalf("parts %+v", m)
		}
		want := chat.File{Name: "a b.pdf", Data: "data:application/pdf;base64," + base64.StdEncoding.EncodeToString(data), Pages: 3}
		if m[1].Type != chat.PartFile || *m[1].File != want || *m[3].File != want {
			t.Errorf("sent %+v", m[1])
		}
		n := 0
		for _, p := range out.Parts {
			if p.Kind != prompt.KindDocument {
				continue
			}
			n++
			if p.ID != "document:a b.pdf" || p.Source != "a b.pdf" || p.Cell != "c1" || !strings.HasPrefix(p.Note, "3 pages, ") ||
				p.Bytes != len(want.Data) || p.Tokens != tokens.Document("claude-x", 3, len(data)) || !p.Estimated || p.Piece != 2*n-1 {
				t.Errorf("part %+v", p)
			}
		}
		if n != 2 || len(out.Warnings) != 0 {
			t.Errorf("%d parts, warnings %v", n, out.Warnings)
		}
	}
}

// Documents that do not fit into one request are omitted: the earlier ones stay, so that the
// beginning of the request stays the same.
func TestMoreDocumentsThanARequestTakes(t *testing.T) {
	big, small := append(pdftest.Plain(2), make([]byte, 5000)...), pdftest.Plain(1)
	ws := papers(t, map[string][]byte{"big.pdf": big, "small.pdf": small, "many.pdf": pdftest.Packed(90)})
	read := chat.Message{Role: chat.Tool, Name: "read_file", ToolCallID: "x", Content: chat.Content{Parts: []chat.Part{
		{Type: chat.PartText, Text: "[read.pdf]"}, {Type: chat.PartFile, File: &chat.File{Name: "read.pdf", Data: "data:application/pdf;base64,JVBERi0xLjc=", Pages: 5}}}}}
	in := prompt.Input{
		Workspace: ws, Prompt: chat.Text("![big](big.pdf) ![small](small.pdf) ![many](many.pdf)"),
		Documents: chat.Documents{Taken: true, Bytes: len(big) + 2500, Pages: 20, Of: "a request to Anthropic"},
		History:   []prompt.HistoryMessage{{Message: chat.Message{Role: chat.User, Content: chat.Text("![first](big.pdf)")}, Cell: "c0"}, {Message: read, Cell: "c0"}},
	}
	out := build(t, in)
	if m := out.Messages[1].Content.Parts; len(m) != 1 || m[0].File == nil {
		t.Errorf("the earlier one: %+v", m)
	}
	m := out.Messages[3].Content.Parts
	if len(m) != 3 || m[1].File == nil || m[1].File.Name != "small.pdf" ||
		!strings.Contains(m[0].Text, "![big](big.pdf) [big.pdf is left out: the documents of this request are larger than the ") ||
		!strings.Contains(m[2].Text, "![many](many.pdf) [many.pdf is left out: the documents of this request have more than the 20 pages that a request to Anthropic takes.]") {
		t.Errorf("sent %+v", m)
	}
	said := warningsOf(out)
	for _, want := range []string{"big.pdf is left out: ", " that a request to Anthropic takes. Switch off documents of earlier prompts, split this one", "many.pdf is left out: "} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %s", want, said)
		}
	}
	// With the first one switched off there is room.
	in.Meta.ContextOff = []string{"document:many.pdf"}
	in.History = in.History[1:]
	if m := build(t, in).Messages[2].Content.Parts; len(m) != 4 || m[0].File == nil || m[0].File.Name != "big.pdf" || m[3].Text != " ![many](many.pdf)" {
		t.Errorf("with room: %+v", m)
	}
}

// An encrypted document is sent, with a word about it.
func TestAnEncryptedDocument(t *testing.T) {
	data := []byte(strings.Replace(string(pdftest.Plain(1)), "/Size", "/Encrypt 9 0 R/Size", 1))
	in := prompt.Input{Workspace: papers(t, map[string][]byte{"a.pdf": data}), Documents: chat.Documents{Taken: true}, Prompt: chat.Text("![a](a.pdf) ![a](a.pdf)")}
	out := build(t, in)
	if said := warningsOf(out); said != "a.pdf is encrypted: the server may refuse it. Save a copy without a password\n" {
		t.Errorf("said %q", said)
	}
	if m := out.Messages[1].Content.Parts; len(m) != 3 || m[0].File == nil {
		t.Errorf("sent %+v", m)
	}
}

// Documents that package agent omits from tool results are not counted here either: the next prompt
// can use the room.
func TestDocumentsOfToolsThatDoNotFit(t *testing.T) {
	read := func(pages int) prompt.HistoryMessage {
		return prompt.HistoryMessage{Cell: "c0", Message: chat.Message{Role: chat.Tool, Name: "read_file", ToolCallID: "x", Content: chat.Content{Parts: []chat.Part{
			{Type: chat.PartText, Text: "read"}, {Type: chat.PartFile, File: &chat.File{Name: "read.pdf", Data: "data:application/pdf;base64,JVBERi0xLjc=", Pages: pages}}}}}}
	}
	out := build(t, prompt.Input{
		Workspace: papers(t, map[string][]byte{"a.pdf": pdftest.Plain(4)}), Prompt: chat.Text("![a](a.pdf)"),
		Documents: chat.Documents{Taken: true, Pages: 10}, History: []prompt.HistoryMessage{read(6), read(5)},
	})
	if m := out.Messages[len(out.Messages)-1].Content.Parts; len(m) != 1 || m[0].File == nil {
		t.Errorf("sent %+v", m)
	}
}
