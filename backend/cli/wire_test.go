package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/jsontext"
	"mutsumi/backend/provider/providertest"
)

// wireCase is a notebook whose last prompt is sent.
type wireCase struct {
	name     string
	meta     string // members of the metadata, in addition to those that all have
	context  string // messages before the prompt
	prompt   string
	goesOn   bool // the answer of the last prompt is gone on with
	contains []string
}

const longHistory = `
{"role":"user","name":"Jane Doe","content":"first @[a.txt]"},
{"role":"assistant","content":null,"reasoning_content":"I should look <b>.","tool_calls":[
	{"id":"functions.read_file:0","type":"function","function":{"name":"functions.read_file","arguments":"{\"uri\": \"a.txt\"}"}},
	{"id":"c1","type":"function","function":{"name":"shell list it","arguments":"{broken"}},
	{"id":"c2","type":"function","function":{"name":"ls","arguments":""}}]},
{"role":"tool","tool_call_id":"functions.read_file:0","name":"functions.read_file","content":"one"},
{"role":"tool","tool_call_id":"c1","name":"shell list it","content":""},
{"role":"assistant","content":"Half an answ"},
{"role":"assistant","content":"er & more.","reasoning_content":"old"},
{"role":"system","content":"A note."},
{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"i","type":"function","function":{"name":"read_file","arguments":"{\"uri\":\"dot.png\"}"}}]},
{"role":"tool","tool_call_id":"i","name":"read_file","content":[{"type":"text","text":"dot.png, 1x1"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"d","type":"function","function":{"name":"read_file","arguments":"{\"uri\":\"papers/說明.pdf\"}"}}]},
{"role":"tool","tool_call_id":"d","name":"read_file","content":[{"type":"text","text":"[papers/說明.pdf is a PDF document: 1 page, 8 B]"},{"type":"file","file":{"filename":"說明.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc=","pages":1}}]},
{"role":"assistant","content":"Seen."},
{"role":"user","content":[{"type":"text","text":"And this:"},{"type":"file","file":{"filename":"inside.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="}}]},
{"role":"user","content":"Compare ![the paper](<papers/the (old) paper.pdf>) with it."},
{"role":"assistant","content":"Done."}`

func wireCases() []wireCase {
	rich := "#define WHO world\nhello {{WHO}}, see @[a.txt:1:2] and @[ls{\"uri\":\"sub\"}] ![dot](dot.png) ![paper](papers/說明.pdf) 請看 </content_reference>"
	all := []wireCase{
		{name: "an agent without a name of its own", meta: `"name":"New agent"`, prompt: "Look at the garden please", contains: []string{"Look at the garden"}},
		{name: "a new notebook", prompt: "hello", contains: []string{`"role":"system"`, `"tools":[`}},
		{name: "an earlier conversation", context: longHistory, prompt: rich,
			contains: []string{"(no output)", "er & more.", "Half an answer", "[Shown by read_file", `"filename":"說明.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjcKJ`, `"filename":"the (old) paper.pdf"`, `"filename":"inside.pdf"`, `"name":"Jane_Doe_`}},
		{name: "a child", meta: `"parent_agent_id":"99999999-9999-4999-8999-999999999999"`, prompt: "do it", contains: []string{"child agent"}},
		{name: "an answer that broke off in its text", goesOn: true, contains: []string{"Your last answer broke off"},
			context: longHistory + `,{"role":"user","content":"and now?"},{"role":"assistant","content":"It is"}`},
		{name: "an answer that broke off in its calls", goesOn: true, contains: []string{"interrupted by the end of the program", `"reasoning_content":"Thinking."`},
			context: `{"role":"user","content":"and now?"},{"role":"assistant","content":"Two calls.","reasoning_content":"Thinking.","tool_calls":[
				{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"mkdir","arguments":"{\"uri\":\"x\"}"}}]},
				{"role":"tool","tool_call_id":"a","name":"ls","content":"[FILE] a.txt"}`},
	}
	for _, placement := range []string{"ghost", "message", "versioned"} {
		all = append(all, wireCase{name: "placement " + placement, meta: `"contextPlacement":"` + placement + `"`, context: longHistory, prompt: rich,
			contains: []string{`content_reference`, "hello world", `\"a.txt:1:2\"`, "data:image/png;base64,iVBORw0KGgoAAAANS"}})
	}
	for _, kind := range []string{"chat", "orchestrator", "implementer", "reviewer", "gardener"} {
		all = append(all, wireCase{name: "kind " + kind, meta: `"agentType":"` + kind + `"`, prompt: rich})
	}
	for i := range all {
		if want := all[i].name; strings.HasPrefix(want, "kind ") && want != "kind chat" {
			all[i].contains = []string{"# Your role: " + strings.TrimPrefix(want, "kind ")}
		}
	}
	return all
}

func (c wireCase) notebook(t *testing.T, folder string, n int) string {
	meta := fmt.Sprintf(`"uuid":"11111111-1111-4111-8111-%012d","created_at":"2026-01-01T00:00:00Z"`, n)
	if !strings.Contains(c.meta, `"name"`) {
		meta += fmt.Sprintf(`,"name":"Agent %d"`, n)
	}
	if c.meta != "" {
		meta += "," + c.meta
	}
	context := c.context
	if c.prompt != "" {
		prompt := string(jsontext.AppendString(nil, c.prompt))
		context = strings.TrimPrefix(context+`,{"role":"user","content":`+prompt+`}`, ",")
	}
	text := `{"metadata":{` + meta + `},"context":[` + context + `]}`
	if !json.Valid([]byte(text)) {
		t.Fatalf("%s: no JSON: %s", c.name, text)
	}
	return text
}

// SPEC 5.7: the request that `mutsumi context --json` prints, what the preview shows and what a
// server receives are the same, byte for byte: for every placement, every kind, a child, a
// conversation with all possible content, and continued answers; on the command line and in the
// window.
func TestWhatIsShownIsWhatIsSent(t *testing.T) {
	server := providertest.New(t, "models gpt-4o\nanswer always\ntext Fine.\nusage 9 1")
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}
	folder := t.TempDir()
	write(t, folder, "a.txt", "one\ntwo\nthree\n")
	write(t, folder, "sub/b.md", "B")
	write(t, folder, "dot.png", dotPNG(t))
	writePapers(t, folder)
	write(t, folder, ".mutsumi/agents/gardener.md", "---\nDescription: Tends the garden\ntools: [ls, read_file, write_file]\n---\nYou tend the garden <b>.\n")
	cases := wireCases()
	for i, c := range cases {
		write(t, folder, fmt.Sprintf("window%d.mtm", i), c.notebook(t, folder, i))
		write(t, folder, fmt.Sprintf("line%d.mtm", i), c.notebook(t, folder, 1000+i))
	}
	window := serve(t, env, folder)
	window.call("TrustFolder", true)

	shown := func(file string, c wireCase, more ...string) wireShown {
		t.Helper()
		args := append([]string{"context", filepath.Join(folder, file), "--json", "--trust"}, more...)
		if c.goesOn {
			args = append(args, "--continue")
		}
		out, errs, status := call(t, "", env, args...)
		var v wireShown
		if err := json.Unmarshal([]byte(out), &v); err != nil || status != 0 {
			t.Fatalf("%s: status %d, %v, %s", c.name, status, err, errs)
		}
		var text bytes.Buffer
		if err := json.Compact(&text, v.Request); err != nil {
			t.Fatal(err)
		}
		v.Request = text.Bytes()
		return v
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file := fmt.Sprintf("window%d.mtm", i)
			before := read(t, filepath.Join(folder, file))
			context := shown(file, c, "--approve", "ask")
			cells := window.cells(file)
			last := cells[len(cells)-1]
			var preview wirePreview
			if !c.goesOn {
				preview = window.preview(file, last.ID, c.prompt)
			}
			if read(t, filepath.Join(folder, file)) != before {
				t.Error("looking changed the notebook")
			}
			sent := len(server.Requests())
			if c.goesOn {
				window.runs(file, "Continue", file, last.ID)
			} else {
				window.runs(file, "Run", file, last.ID, "cell")
			}
			got := server.Requests()[sent].Body
			same(t, "context and what the window sent", context.Request, got)
			context.check(t, got)
			if !c.goesOn {
				preview.check(t, got)
			}
			for _, want := range c.contains {
				if !bytes.Contains(got, []byte(want)) {
					t.Errorf("%q is not in what was sent: %s", want, got)
				}
			}

			if c.goesOn {
				return
			}
			file = fmt.Sprintf("line%d.mtm", i)
			context = shown(file, c)
			sent = len(server.Requests())
			if _, errs, status := call(t, "", env, "run", filepath.Join(folder, file), "--trust"); status != 0 {
				t.Fatalf("status %d, %s", status, errs)
			}
			same(t, "context and what the command line sent", context.Request, server.Requests()[sent].Body)
		})
	}
}

// wireShown is the output of `mutsumi context --json`.
type wireShown struct {
	Messages []json.RawMessage
	Request  json.RawMessage
	Parts    []struct {
		Kind, Source, Place        string
		Message, Piece, Start, End int
	}
}

// check compares the messages with those that were sent, and the parts with their bytes: together
// they cover each text exactly once.
func (v wireShown) check(t *testing.T, sent []byte) {
	t.Helper()
	var body wireBody
	if err := json.Unmarshal(sent, &body); err != nil {
		t.Fatal(err)
	}
	if len(v.Messages) != len(body.Messages) {
		t.Fatalf("%d messages are shown, %d were sent", len(v.Messages), len(body.Messages))
	}
	tools := 0
	for _, p := range v.Parts {
		if p.Place == "tools" {
			tools++
		}
	}
	if tools != len(body.Tools) {
		t.Errorf("%d definitions of tools are shown, %d were sent", tools, len(body.Tools))
	}
	for i, raw := range body.Messages {
		var text bytes.Buffer
		json.Compact(&text, v.Messages[i])
		same(t, fmt.Sprintf("message %d", i), text.Bytes(), raw)
		for k, piece := range contentOf(t, raw) {
			covered := make([]int, len(piece)) // by how many parts, not counting frames
			for _, p := range v.Parts {
				if p.Message != i || p.Piece != k || p.Place != "" || p.Kind == "image" || p.Kind == "document" {
					continue
				}
				for at := p.Start; at < p.End; at++ {
					if p.Kind != "frame" {
						covered[at] += 2
					} else if covered[at] == 0 {
						covered[at] = 1
					}
				}
			}
			for at, n := range covered {
				if n == 0 || n > 3 {
					t.Errorf("message %d, from byte %d: %d parts are of %q", i, at, n/2, piece[at:])
					break
				}
			}
		}
	}
}

type wireBody struct {
	Messages []json.RawMessage
	Tools    []json.RawMessage
}

// contentOf returns the texts of a message's content; of an image nothing.
func contentOf(t *testing.T, message json.RawMessage) []string {
	t.Helper()
	var m struct{ Content json.RawMessage }
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	var text *string
	if json.Unmarshal(m.Content, &text) == nil {
		if text == nil {
			return nil
		}
		return []string{*text}
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return all
}

// wirePreview is the data of the preview.
type wirePreview struct {
	Bytes      int
	SHA256     string
	Parameters []struct{ Name, Value string }
	Messages   []struct {
		Role, Name, CallID string
		Parts              bool
		Segments           []struct {
			Kind, Place, Text, Source, Note, Picture string
			Piece                                    int
			Cut                                      bool
		}
	}
}

// check rebuilds the body from what the preview shows.
func (v wirePreview) check(t *testing.T, sent []byte) {
	t.Helper()
	sum := sha256.Sum256(sent)
	if v.Bytes != len(sent) || v.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the preview is of %d bytes, %d were sent", v.Bytes, len(sent))
	}
	var body wireBody
	var members map[string]json.RawMessage
	if json.Unmarshal(sent, &body) != nil || json.Unmarshal(sent, &members) != nil {
		t.Fatalf("sent %s", sent)
	}
	for _, p := range v.Parameters {
		if string(members[p.Name]) != p.Value {
			t.Errorf("the preview shows %s as %s, sent was %s", p.Name, p.Value, members[p.Name])
		}
		delete(members, p.Name)
	}
	delete(members, "messages")
	delete(members, "tools")
	if len(members) > 0 {
		t.Errorf("the preview does not show %v", members)
	}
	messages := v.Messages
	if len(messages) > 0 && messages[0].Role == "tools" {
		for i, s := range messages[0].Segments {
			same(t, "the tool "+s.Source, []byte(s.Text), body.Tools[i])
		}
		body.Tools = body.Tools[len(messages[0].Segments):]
		messages = messages[1:]
	}
	if len(body.Tools) > 0 || len(messages) != len(body.Messages) {
		t.Fatalf("%d tools are not shown; %d messages are, %d were sent", len(body.Tools), len(messages), len(body.Messages))
	}
	for i, m := range messages {
		texts, calls, reasoning := map[int]string{}, []json.RawMessage{}, ""
		for _, s := range m.Segments {
			switch {
			case s.Cut:
				t.Errorf("message %d is cut", i)
			case s.Place == "reasoning":
				reasoning += s.Text
			case s.Place == "calls":
				calls = append(calls, json.RawMessage(s.Text))
			default:
				texts[s.Piece] += s.Text
			}
		}
		var want struct {
			Role, Name string
			Reasoning  string            `json:"reasoning_content"`
			Calls      []json.RawMessage `json:"tool_calls"`
			CallID     string            `json:"tool_call_id"`
		}
		if err := json.Unmarshal(body.Messages[i], &want); err != nil {
			t.Fatal(err)
		}
		if m.Role != want.Role || m.Name != want.Name || m.CallID != want.CallID || reasoning != want.Reasoning || len(calls) != len(want.Calls) {
			t.Errorf("message %d is shown as %+v, sent was %s", i, m, body.Messages[i])
			continue
		}
		for k, c := range calls {
			same(t, fmt.Sprintf("call %d of message %d", k, i), c, want.Calls[k])
		}
		content := contentOf(t, body.Messages[i])
		if m.Parts != (len(content) > 0 && bytes.Contains(body.Messages[i], []byte(`"content":[`))) {
			t.Errorf("message %d: a list is %v", i, m.Parts)
		}
		for k, text := range content {
			same(t, fmt.Sprintf("piece %d of message %d", k, i), []byte(texts[k]), []byte(text))
		}
	}
}

func same(t *testing.T, what string, shown, sent []byte) {
	t.Helper()
	if bytes.Equal(shown, sent) {
		return
	}
	at := 0
	for at < min(len(shown), len(sent)) && shown[at] == sent[at] {
		at++
	}
	from := max(0, at-60)
	t.Errorf("%s differ at byte %d of %d and %d:\nshown ...%s\nsent  ...%s", what, at, len(shown), len(sent),
		shown[from:min(len(shown), at+120)], sent[from:min(len(sent), at+120)])
}
