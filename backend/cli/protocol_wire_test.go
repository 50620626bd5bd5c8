package cli_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/notebook"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/anthropic"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/provider/responses"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// SPEC 5.7 for every protocol: what the command line prints, what the preview shows and what a
// server receives are the same, byte for byte, for every placement, every kind, a child, a
// conversation with all possible content, continued answers, and a second turn with the thoughts
// that the server wants back. Nothing is sent that the preview does not show.
func TestTheLedgerOfEveryProtocol(t *testing.T) {
	thinks := "\nreasoning Hm.\nsign Sig+/=\ntext Fine.\nusage 9 1"
	for _, c := range []struct {
		name   string
		script string
		client func(exchange.Config) provider.Wire
	}{
		{"chat", "answer always\ntext Fine.\nusage 9 1", func(c exchange.Config) provider.Wire { return openai.New(c) }},
		{"responses", "answer always" + thinks, func(c exchange.Config) provider.Wire { return responses.New(c) }},
		{"anthropic", "answer always" + thinks, func(c exchange.Config) provider.Wire { return anthropic.New(c) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newWireFolder(t, c.script, c.client)
			for i, w := range wireCases() {
				t.Run(w.name, func(t *testing.T) {
					file := fmt.Sprintf("n%d.mtm", i)
					write(t, l.folder, file, w.notebook(t, l.folder, i))
					l.compare(t, file, w.prompt, w.goesOn)
				})
			}
			t.Run("a second turn", func(t *testing.T) {
				write(t, l.folder, "second.mtm", wireCase{prompt: "first"}.notebook(t, l.folder, 900))
				l.compare(t, "second.mtm", "first", false)
				body := l.compare(t, "second.mtm", "", false)
				if strings.Contains(string(body), "Sig+/=") != (c.name != "chat") {
					t.Errorf("the thoughts that go back: %s", body)
				}
			})
		})
	}
}

// wireFolder is a folder whose agents are answered by a scripted server.
type wireFolder struct {
	server *providertest.Server
	folder string
	ws     *workspace.Workspace
}

func newWireFolder(t *testing.T, script string, client func(exchange.Config) provider.Wire) *wireFolder {
	l := &wireFolder{server: providertest.New(t, script), folder: t.TempDir()}
	write(t, l.folder, "a.txt", "one\ntwo\nthree\n")
	write(t, l.folder, "sub/b.md", "B")
	write(t, l.folder, "dot.png", dotPNG(t))
	writePapers(t, l.folder)
	write(t, l.folder, ".mutsumi/agents/gardener.md", "---\nDescription: Tends the garden\ntools: [ls, read_file, write_file]\n---\nYou tend the garden <b>.\n")
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	store.SetBuiltIn(l.server.URL, "k", []settings.ModelView{{ID: "m", Tools: true, Images: true, Documents: true, Reasoning: true, MaxOutput: 5000, Temperature: &half}})
	l.ws, err = workspace.Open(workspace.Options{
		Folder: l.folder, Settings: store, CacheDir: t.TempDir(), Kinds: os.DirFS("../../assets/agents"), Trust: true,
		Connect: func(e settings.Endpoint) request.Connection {
			return request.Connection{Model: client(exchange.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key}).(interface {
				provider.Wire
				Stream(context.Context, provider.Request, func(provider.Chunk) error) error
			}), List: func(context.Context) ([]string, error) { return []string{"m"}, nil }}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.ws.Close() })
	l.ws.Nodes()
	return l
}

// compare sends the last prompt of a notebook, or a new one for "", and compares the preview with
// what the server received, which it returns.
func (l *wireFolder) compare(t *testing.T, file, draft string, goesOn bool) []byte {
	t.Helper()
	ctx := t.Context()
	v, err := l.ws.Notebook(file)
	if err != nil {
		t.Fatal(err)
	}
	cell := v.Cells[len(v.Cells)-1].ID
	switch {
	case goesOn:
		draft = "and now?"
	case draft == "":
		draft = "and then?"
		cell = l.addPrompt(t, file, draft)
	}
	next, err := l.ws.Request(ctx, file, cell, draft, goesOn)
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := next.WriteJSON(&line); err != nil {
		t.Fatal(err)
	}
	var printed struct{ Request json.RawMessage }
	if err := json.Unmarshal(line.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	sent := len(l.server.Requests())
	if goesOn {
		_, err = l.ws.Continue(file, cell)
	} else {
		preview, err := l.ws.Preview(ctx, file, cell, draft)
		if err != nil {
			t.Fatal(err)
		}
		text, err := l.ws.RequestBody(ctx, file, cell, draft)
		if err != nil || len(text) != preview.Bytes {
			t.Fatalf("%d bytes, the preview has %d, %v", len(text), preview.Bytes, err)
		}
		same(t, "the command line and the preview", printed.Request, text)
		shown, err := json.Marshal(preview)
		if err != nil {
			t.Fatal(err)
		}
		nothingHidden(t, shown, text)
	}
	if !goesOn {
		_, err = l.ws.Run(file, cell, runner.RunCell)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if v, err = l.ws.Notebook(file); err != nil || len(v.Running) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(l.server.Requests()) == sent {
		t.Fatal("nothing was sent")
	}
	got := l.server.Requests()[sent].Body
	same(t, "what was shown and what was sent", printed.Request, got)
	if replay, err := l.ws.Replay(file, 0, got); err != nil || !replay.Same {
		t.Errorf("the record is of another request: %+v, %v", replay, err)
	}
	return got
}

// nothingHidden fails for a text of a request that the preview does not show.
func nothingHidden(t *testing.T, preview, body []byte) {
	t.Helper()
	var shown strings.Builder
	var v wirePreview
	if err := json.Unmarshal(preview, &v); err != nil {
		t.Fatal(err)
	}
	add := func(text string) {
		shown.WriteString(text)
		for _, s := range stringsIn(json.RawMessage(text)) {
			shown.WriteString("\n" + s)
		}
		shown.WriteString("\n")
	}
	for _, p := range v.Parameters {
		add(p.Name)
		add(p.Value)
	}
	for _, m := range v.Messages {
		shown.WriteString(m.Role + "\n" + m.CallID + "\n" + m.Name + "\n")
		texts := map[int]string{}
		for _, s := range m.Segments {
			if s.Place != "" || m.Role == "tools" {
				add(s.Text)
			} else if s.Kind == "document" {
				add(s.Source)
				add(s.Note)
			} else {
				texts[s.Piece] += s.Text
			}
		}
		for piece := range len(m.Segments) {
			shown.WriteString(texts[piece] + "\n")
		}
	}
	all := shown.String()
	structure := []string{"file", "filename", "file_data", "input_file", "document", "title", "application/pdf", "type", "text", "role", "content", "tool_result", "tool_use_id", "function_call_output", "call_id", "output", "input_text", "input_image", "image_url",
		"image", "source", "media_type", "base64", "data", "detail", "auto", "cache_control", "ephemeral", "tools", "system", "instructions", "messages", "input", "developer", "assistant", "user", "tool", "name",
		"reasoning_content", "tool_calls", "tool_call_id", "url", "image/png", "(no output)"}
	for _, s := range stringsIn(body) {
		data := strings.TrimPrefix(s, "data:image/png;base64,")
		if _, err := base64.StdEncoding.DecodeString(data); err == nil && strings.HasPrefix(data, "iVBOR") {
			continue // an image is shown, not written out
		}
		data = strings.TrimPrefix(s, "data:application/pdf;base64,")
		if _, err := base64.StdEncoding.DecodeString(data); err == nil && strings.HasPrefix(data, "JVBERi") {
			continue // so is a document
		}
		if !slices.Contains(structure, s) && !strings.Contains(all, s) {
			t.Errorf("the preview does not show %q", s)
		}
	}
}

// stringsIn lists the strings of a text of JSON, names too.
func stringsIn(text []byte) (all []string) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		if s, ok := token.(string); ok {
			all = append(all, s)
		}
	}
}

// addPrompt adds a prompt at the end of a notebook.
func (l *wireFolder) addPrompt(t *testing.T, file, text string) (cell string) {
	t.Helper()
	if _, err := l.ws.Edit(file, []notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, ""); err != nil {
		t.Fatal(err)
	}
	v, err := l.ws.Notebook(file)
	if err != nil {
		t.Fatal(err)
	}
	return v.Cells[len(v.Cells)-1].ID
}
