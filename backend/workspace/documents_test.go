package workspace_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/pdf/pdftest"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/summaries"
	"mutsumi/backend/tokens"
)

// openReader is open with a model that accepts documents.
func openReader(t *testing.T, script string) *desk {
	t.Helper()
	return openModel(t, "", script, settings.ModelView{ID: "scripted", Tools: true, Images: true, Documents: true}, nil)
}

// encoded returns a document as it appears in a request.
func encoded(data []byte) []byte {
	return []byte("data:application/pdf;base64," + base64.StdEncoding.EncodeToString(data))
}

// A pasted document is stored beside its notebook under its own name, described, and sent to an
// agent that may touch nothing else there.
func TestAPastedDocumentStaysBesideItsNotebook(t *testing.T) {
	t.Parallel()
	d := openReader(t, "answer always\ntext ok")
	d.write("src/a.go", "package a")
	path := d.create("Narrow")
	d.only(path, "src")
	data := pdftest.Packed(3)
	got, err := d.InsertBytes(path, "年度報告 [final].pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`^!\[年度報告 \(final\)\.pdf\]\((\.mutsumi/[^/]+\.images/doc_\d+_[0-9a-f]{8}\.pdf)\)$`).FindStringSubmatch(got.Text)
	if m == nil {
		t.Fatalf("inserted %q", got.Text)
	}
	if p, err := d.Image(path, m[1], true); err != nil || !strings.HasPrefix(p.About, "3 pages, ") || p.MIME != "application/pdf" || len(p.Bytes) != 0 {
		t.Errorf("shown: %+v, %v", p, err)
	}
	if _, err := d.Image(path, m[1], false); err == nil {
		t.Error("the document itself is served as a picture")
	}
	cell := d.prompt(path, "Read: "+got.Text)
	view := d.context(path, cell, "Read: "+got.Text)
	if len(view.Documents) != 1 || !strings.HasPrefix(view.Documents[0].Note, "年度報告 (final).pdf, 3 pages, ") || view.Documents[0].Tokens == 0 || !view.Documents[0].Estimated {
		t.Errorf("in the inspector: %+v", view.Documents)
	}
	if got := kinds(t, view)["documents"]; got != view.Documents[0].Tokens {
		t.Errorf("the meter has %d tokens of documents, the list %d", got, view.Documents[0].Tokens)
	}
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	body := d.server.Requests()[0].Body
	if !bytes.Contains(body, encoded(data)) || !bytes.Contains(body, []byte(`"filename":"年度報告 (final).pdf"`)) {
		t.Errorf("sent %s", body)
	}
}

// Dropped files: a document of the folder is linked in place, one from elsewhere is copied, and a
// file that is only named like a document becomes a reference.
func TestDroppedDocuments(t *testing.T) {
	t.Parallel()
	d := openReader(t, "answer always\ntext ok")
	path := d.create("A")
	elsewhere := t.TempDir()
	huge := make([]byte, 60<<20)
	copy(huge, "%PDF-1.7\n")
	for name, data := range map[string][]byte{
		filepath.Join(d.folder, "my (old) paper.pdf"): pdftest.Plain(1), filepath.Join(d.folder, "圖.pdf"): pdftest.Plain(1),
		filepath.Join(elsewhere, "other.pdf"): pdftest.Plain(2), filepath.Join(d.folder, "page.pdf"): []byte("<!doctype html><p>no"),
		filepath.Join(d.folder, "huge.pdf"): huge, filepath.Join(elsewhere, "cut.pdf"): pdftest.Plain(2)[:300],
	} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		filepath.Join(d.folder, "my (old) paper.pdf"): `^!\[my \(old\) paper\.pdf\]\(<my \(old\) paper\.pdf>\)$`,
		filepath.Join(d.folder, "圖.pdf"):              `^!\[圖\.pdf\]\(圖\.pdf\)$`,
		filepath.Join(elsewhere, "other.pdf"):         `^!\[other\.pdf\]\(\.mutsumi/[^/]+\.images/doc_\d+_[0-9a-f]{8}\.pdf\)$`,
		filepath.Join(d.folder, "page.pdf"):           `^@\[page\.pdf\]$`,
		filepath.Join(d.folder, "huge.pdf"):           `^huge\.pdf is 60 MB, more than the 50 MB that a document may have: split it`,
		filepath.Join(elsewhere, "cut.pdf"):           `^cut\.pdf is cut off: `,
	} {
		got, err := d.InsertPaths(path, []string{file})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if said := got.Text + strings.Join(got.Notes, "\n"); !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%s: %q", file, said)
		}
	}
}

// A document that cannot be sent is reported beforehand, with the cause, and stays text.
func TestDocumentsThatAreNotSent(t *testing.T) {
	t.Parallel()
	d := openReader(t, "answer always\ntext ok")
	path := d.create("A")
	outside := filepath.Join(t.TempDir(), "outside.pdf")
	if err := os.WriteFile(outside, pdftest.Plain(1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.folder, "link.pdf")); err != nil {
		t.Skip(err)
	}
	d.write("page.pdf", "<!doctype html><p>no")
	d.write("none.pdf", string(pdftest.Plain(0)))
	d.write("cut.pdf", string(pdftest.Plain(3)[:300]))
	d.write("huge.pdf", "%PDF-1.7\n"+strings.Repeat("x", 60<<20))
	d.write("secret/x.pdf", string(pdftest.Plain(1)))
	d.write("src/ok.pdf", string(pdftest.Plain(1)))
	d.only(path, "src", "page.pdf", "none.pdf", "cut.pdf", "huge.pdf")
	cell := d.prompt(path, "x")
	for target, want := range map[string]string{
		"gone.pdf": "the document is not sent: ", "page.pdf": "page.pdf is an HTML page", "none.pdf": "without pages",
		"cut.pdf": "cut off", "huge.pdf": "60 MB, more than the 50 MB", "secret/x.pdf": "the document is not sent: ", "link.pdf": "the document is not sent: ",
		outside: "the document is not sent: ", "https://example.org/a.pdf": "",
	} {
		draft := "Read ![it](" + target + ")"
		view := d.context(path, cell, draft)
		said := ""
		for _, w := range view.Warnings {
			said += w.Text + "\n"
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: said %q", target, said)
		}
		body, err := d.RequestBody(t.Context(), path, cell, draft)
		if err != nil || bytes.Contains(body, []byte("application/pdf")) || !bytes.Contains(body, []byte("![it]")) {
			t.Errorf("%s: sent %s, %v", target, body, err)
		}
	}
	if body, err := d.RequestBody(t.Context(), path, cell, "![it](src/ok.pdf)"); err != nil || !bytes.Contains(body, []byte("application/pdf")) {
		t.Errorf("a readable document is not sent: %v", err)
	}
}

// A document that is switched off stays a link; replaced on disk, its current version is sent.
// Undoing a cell removes it, and restores it.
func TestADocumentAcrossTurns(t *testing.T) {
	t.Parallel()
	d := openReader(t, "answer always\ntext ok")
	path := d.create("A")
	first, second := pdftest.Plain(1), pdftest.Plain(5)
	d.write("a.pdf", string(first))
	cell := d.prompt(path, "Read ![a](a.pdf)")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	d.write("a.pdf", string(second))
	next := d.prompt(path, "and now?")
	view := d.context(path, next, "and now?")
	if len(view.Documents) != 1 || !strings.HasPrefix(view.Documents[0].Note, "5 pages") {
		t.Errorf("after it was replaced: %+v", view.Documents)
	}
	changed := false
	for _, m := range d.preview(path, next, "and now?").Messages {
		for _, s := range m.Segments {
			changed = changed || s.Kind == "document" && s.State == "changed"
		}
	}
	if !changed {
		t.Error("the preview does not say that the document changed")
	}
	d.run(path, next, runner.RunCell)
	d.untilFinished(1)
	sent := d.server.Requests()
	if !bytes.Contains(sent[0].Body, encoded(first)) || !bytes.Contains(sent[1].Body, encoded(second)) {
		t.Error("the document was not sent as it is on disk")
	}
	if err := d.SwitchContext(path, "document:a.pdf", false); err != nil {
		t.Fatal(err)
	}
	last := d.prompt(path, "once more ![a](a.pdf)")
	if body, err := d.RequestBody(t.Context(), path, last, "once more ![a](a.pdf)"); err != nil || bytes.Contains(body, []byte("application/pdf")) {
		t.Errorf("it is sent although it is switched off: %v", err)
	}
	if view := d.context(path, last, "x"); len(view.Documents) != 1 || view.Documents[0].State != "off" {
		t.Errorf("switched off: %+v", view.Documents)
	}
	if err := d.SwitchContext(path, "document:a.pdf", true); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditDelete, Cell: cell}}, "test"); err != nil {
		t.Fatal(err)
	}
	if view := d.context(path, next, "and now?"); len(view.Documents) != 0 {
		t.Errorf("its cell was deleted: %+v", view.Documents)
	}
	if _, err := d.Undo(path); err != nil {
		t.Fatal(err)
	}
	if view := d.context(path, next, "and now?"); len(view.Documents) != 1 {
		t.Errorf("its cell came back: %+v", view.Documents)
	}
}

// A model that accepts no documents gets a note of what is missing, and the person learns what to
// do, for documents in prompts, in messages made of parts and in tool results.
func TestAModelThatTakesNoDocuments(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	d.write("a.pdf", string(pdftest.Plain(2)))
	d.write("old.mtm", `{"metadata":{"uuid":"99999999-0000-4000-8000-000000000001","name":"Old","created_at":"2026-01-01T00:00:00Z"},"context":[
		{"role":"user","content":[{"type":"text","text":"See"},{"type":"file","file":{"filename":"in.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read_file","arguments":"{\"uri\":\"b.pdf\"}"}}]},
		{"role":"tool","tool_call_id":"x","name":"read_file","content":[{"type":"text","text":"[b.pdf is a PDF document]"},{"type":"file","file":{"filename":"b.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc=","pages":1}}]},
		{"role":"assistant","content":"Seen."},{"role":"user","content":"Now ![a](a.pdf)"}]}`)
	d.untilTree("Old")
	v := d.context("old.mtm", "", "Now ![a](a.pdf)")
	said := ""
	for _, w := range v.Warnings {
		said += w.Text + "\n"
	}
	if !strings.Contains(said, "scripted takes no PDF documents, as its settings say: a.pdf is left out. Choose another model, or let the agent extract the text") {
		t.Errorf("said %q", said)
	}
	if len(v.Documents) != 2 || v.Documents[1].State != "inert" || v.Documents[1].Note != "left out: this model takes no PDF documents" || kinds(t, v)["documents"] != 0 {
		t.Errorf("listed %+v", v.Documents)
	}
	body, err := d.RequestBody(t.Context(), "old.mtm", "", "Now ![a](a.pdf)")
	if err != nil || bytes.Contains(body, []byte("application/pdf")) {
		t.Fatalf("%s, %v", body, err)
	}
	for _, want := range []string{"Now ![a](a.pdf) [a.pdf is left out: this model takes no PDF documents.]", "[in.pdf is left out: this model takes no PDF documents.]", `[b.pdf is a PDF document]\n[b.pdf is left out: this model takes no PDF documents.]`} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
}

// An agent reads a document: the model gets it with the results, it stays in the notebook with its
// pages, and counts the same everywhere. If it cannot be read, the agent gets an error that it can
// act on.
func TestAnAgentReadsADocument(t *testing.T) {
	t.Parallel()
	data := pdftest.Packed(4)
	d := openReader(t, "answer\ncall 0 a read_file {\"uri\":\"papers/圖.pdf\"}\ncall 1 b read_file {\"uri\":\"cut.pdf\"}\ncall 2 c read_file {\"uri\":\"big.pdf\"}\ncall 3 d read_file {\"uri\":\"papers/圖.pdf\",\"start_line\":3}\ncall 4 e read_file {\"uri\":\"../x.pdf\"}\nanswer always\ntext ok")
	d.write("papers/圖.pdf", string(data))
	d.write("cut.pdf", string(data[:200]))
	d.write("big.pdf", "%PDF-1.7\n"+strings.Repeat("x", 20<<20))
	path := d.create("A")
	cell := d.prompt(path, "Read it")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	sent := d.server.Requests()
	body := sent[len(sent)-1].Body
	for _, want := range []string{
		`[papers/圖.pdf is a PDF document: 4 pages, `, `[Shown by read_file, call a:]`, `{"type":"file","file":{"filename":"圖.pdf","file_data":"` + string(encoded(data)) + `"}}`,
		"cut.pdf is cut off", "big.pdf is a PDF document of 20 MB; at most 8 MB can be shown", "which has no lines",
	} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("%q is not in what was sent: %s", want, body)
		}
	}
	if n := bytes.Count(body, []byte("application/pdf")); n != 1 {
		t.Errorf("%d documents were sent", n)
	}
	d.Close()
	if file := d.onDisk(path); !strings.Contains(file, `"pages": 4`) {
		t.Errorf("kept: %.2000s", file)
	}
	again := openModel(t, d.folder, "answer always\ntext ok", settings.ModelView{ID: "scripted", Tools: true, Documents: true}, nil)
	v := again.context(path, "", "and?")
	if len(v.Documents) != 1 || v.Documents[0].Tokens != tokens.Document("scripted", 4, len(data)) || !strings.HasPrefix(v.Documents[0].Note, "4 pages") {
		t.Errorf("after a restart: %+v", v.Documents)
	}
}

// The meter, the preview and the recorded usage count a document alike.
func TestAllCountADocumentAlike(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"some-model", "claude-sonnet-4-5", "gemini-2.5-pro"} {
		t.Run(model, func(t *testing.T) {
			d := openModel(t, "", "answer always\ntext ok", settings.ModelView{ID: model, Tools: true, Documents: true}, nil)
			d.write("a.pdf", string(pdftest.Plain(7)))
			path := d.create("Count")
			draft := "Read ![a](a.pdf)"
			cell := d.prompt(path, draft)
			next, shown := d.context(path, cell, draft).Tokens, d.preview(path, cell, draft).Tokens
			d.run(path, cell, runner.RunCell)
			d.untilFinished(1)
			_, cells, err := d.Cells(path, []string{cell})
			if err != nil {
				t.Fatal(err)
			}
			if got := *cells[0].Body.Run.Usage; got.Input != next || shown != next || next < tokens.Document(model, 7, 0) {
				t.Errorf("kept is %+v; the meter said %d, the preview %d", got, next, shown)
			}
		})
	}
}

// A child reads the document that its prompt links to, if it may touch it.
func TestAChildAndADocument(t *testing.T) {
	t.Parallel()
	d := openReader(t, saying("PARENT", `tool self_fork {"children":[{"name":"A","prompt":"do a ![a](papers/a.pdf) ![b](b.pdf)","allowed_uris":["papers"]}]}`)+saying("PARENT", "text ok")+finishing("do a", "fine"))
	a, b := pdftest.Plain(1), pdftest.Plain(2)
	d.write("papers/a.pdf", string(a))
	d.write("b.pdf", string(b))
	path, _ := d.fork()
	d.untilOver(path)
	seen := false
	for _, r := range d.server.Requests() {
		seen = seen || bytes.Contains(r.Body, encoded(a))
		if bytes.Contains(r.Body, encoded(b)) {
			t.Error("the child read a document that it may not touch")
		}
	}
	if !seen {
		t.Error("the child did not get its document")
	}
}

// A summary names the documents that it covers, and they are no longer sent.
func TestASummaryOfADocument(t *testing.T) {
	t.Parallel()
	model := settings.ModelView{ID: "scripted", Tools: true, Documents: true, ContextTokens: 60_000}
	d := openModel(t, "", "answer always\ntext \"## Goal\\nShort.\"", model, func(store *settings.Store, url string) {
		if _, err := store.SaveProvider(settings.ProviderInput{Name: "Test", BaseURL: url, Models: []settings.ModelView{model}}); err != nil {
			t.Fatal(err)
		}
	})
	data := pdftest.Plain(3)
	d.write("a.pdf", string(data))
	d.lasting("Long", 6,
		`{"role":"user","content":"Read ![a](a.pdf)","metadata":{"cell_id":"pdf"}}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read_file","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"x","name":"read_file","content":[{"type":"text","text":"[b.pdf is a PDF document]"},{"type":"file","file":{"filename":"b.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc=","pages":1}}]}`,
		`{"role":"assistant","content":"Read."}`, `{"role":"user","content":"And now?","metadata":{"cell_id":"last"}}`, `{"role":"assistant","content":"Fine."}`)
	before, err := d.RequestBody(t.Context(), "Long.mtm", "", "go on")
	if err != nil || !bytes.Contains(before, encoded(data)) {
		t.Fatalf("the document is not sent: %v", err)
	}
	d.compact("Long.mtm", summaries.Wanted{})
	asked := d.server.Requests()[0].Body
	if bytes.Contains(asked, []byte("application/pdf")) || !bytes.Contains(asked, []byte("![a](a.pdf)")) || !bytes.Contains(asked, []byte("[the document b.pdf]")) {
		t.Errorf("the summary was asked for with %.3000s", asked)
	}
	after, err := d.RequestBody(t.Context(), "Long.mtm", "", "go on")
	if err != nil || bytes.Contains(after, []byte("application/pdf")) {
		t.Errorf("the covered document is still sent: %v", err)
	}
}

// Pruning blocks leaves documents alone.
func TestPruningLeavesDocuments(t *testing.T) {
	t.Parallel()
	d := openReader(t, "answer always\ntext ok")
	path := d.create("Versions")
	if err := d.SetPlacement(path, "versioned"); err != nil {
		t.Fatal(err)
	}
	data := pdftest.Plain(2)
	d.write("a.pdf", string(data))
	for _, text := range []string{"one", "two"} {
		d.write("a.txt", text+"\n")
		d.run(path, d.prompt(path, "See ![a](a.pdf) and @[a.txt]"), runner.RunCell)
		d.untilFinished(1)
	}
	before := len(d.context(path, "", "x").Documents)
	if err := d.PruneContext(path); err != nil {
		t.Fatal(err)
	}
	body, err := d.RequestBody(t.Context(), path, "", "x")
	if err != nil || before != 2 || bytes.Count(body, encoded(data)) != 2 || len(d.context(path, "", "x").Documents) != 2 {
		t.Errorf("after pruning, of %d documents: %s, %v", before, body, err)
	}
}
