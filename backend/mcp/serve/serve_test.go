package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/cli/clitest"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/provider/providertest"
)

// The tests run the real program, built once without a window, with the SDK's client.
var binary string

func TestMain(m *testing.M) {
	clitest.Main(m, &binary)
}

const newest, legacy = "", "2025-06-18" // revisions; the newest is the client's choice

// client is another program that uses one of our folders.
type client struct {
	*mcp.ClientSession
	t        *testing.T
	cmd      *exec.Cmd
	errs     *bytes.Buffer
	updated  chan string // addresses of notebooks
	listed   chan bool
	mu       sync.Mutex
	progress []*mcp.ProgressNotificationParams
}

// command returns the program with a home folder of its own and model m of a test server as its only model.
func command(t *testing.T, server *providertest.Server, args ...string) *exec.Cmd {
	cmd := clitest.Command(t, binary, []string{"MUTSUMI_GUIDE_PACE=0"}, args...)
	cmd.Dir = t.TempDir()
	if server != nil {
		cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+server.URL, "OPENAI_API_KEY=k")
	}
	return cmd
}

func connect(t *testing.T, server *providertest.Server, revision, dir string, flags ...string) *client {
	t.Helper()
	c := &client{t: t, errs: &bytes.Buffer{}, updated: make(chan string, 1000), listed: make(chan bool, 1000)}
	c.cmd = command(t, server, append([]string{"mcp", "serve", dir}, flags...)...)
	c.cmd.Stderr = c.errs
	peer := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { c.updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { c.listed <- true },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, r.Params)
		},
	})
	session, err := peer.Connect(t.Context(), &mcp.CommandTransport{Command: c.cmd}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect: %v; %s", err, c.errs)
	}
	c.ClientSession = session
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("it did not end well: %v; %s", err, c.errs)
		}
	})
	return c
}

// call calls a tool and stores its structured result in out, unless that is nil.
func (c *client) call(out any, tool string, args map[string]any) (text string, isError bool) {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v; %s", tool, err, c.errs)
	}
	return c.read(out, r)
}

func (c *client) read(out any, r *mcp.CallToolResult) (text string, isError bool) {
	c.t.Helper()
	for _, part := range r.Content {
		text += part.(*mcp.TextContent).Text
	}
	if out != nil {
		raw, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(raw, out)
		}
		if err != nil {
			c.t.Fatalf("%s: %v", raw, err)
		}
	}
	return text, r.IsError
}

func (c *client) addresses() (all []string) {
	c.t.Helper()
	list, err := c.ListResources(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, r := range list.Resources {
		all = append(all, r.URI+" "+r.Title)
	}
	return all
}

// wait waits for a notification that matches.
func wait[T any](t *testing.T, what string, in <-chan T, fits func(T) bool) {
	t.Helper()
	for late := time.After(60 * time.Second); ; {
		select {
		case v := <-in:
			if fits(v) {
				return
			}
		case <-late:
			t.Fatal("it never came to this: " + what)
		}
	}
}

// book returns a notebook with some messages.
func book(uuid, name, messages string) string {
	return fmt.Sprintf(`{"metadata":{"uuid":"%s1111111-1111-4111-8111-111111111111","name":%q,"created_at":"2026-01-01T00:00:00.000Z","parent_agent_id":null,"allowed_uris":["."]},"context":[%s]}`, uuid, name, messages)
}

const talk = `{"role":"user","content":"first line\nsecond line"},{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"uri\":\".\"}"}}]},` +
	"{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"a ``` b\"},{\"role\":\"assistant\",\"content\":\"There is **one**.\"},{\"role\":\"user\",\"content\":\"and now\"}"

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	return filestest.Write(t, filepath.Join(dir, name), text)
}

func read(t *testing.T, file string) string {
	t.Helper()
	return filestest.Read(t, file)
}

func TestNotebooksAreResources(t *testing.T) {
	for name, revision := range map[string]string{"newest": newest, "legacy": legacy} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "sub folder/a.mtm", book("1", "Ann", talk))
			write(t, dir, ".mutsumi/b.mtm", book("2", "Bob", ""))
			write(t, dir, "broken.mtm", "{")
			c := connect(t, nil, revision, dir)
			const ann = "mutsumi://notebook/sub%20folder/a.mtm"
			if got := strings.Join(c.addresses(), "\n"); got != "mutsumi://notebook/.mutsumi/b.mtm Bob\n"+ann+" Ann" {
				t.Fatalf("listed:\n%s", got)
			}
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: ann})
			want := "# Ann\n\n## 1\n\n> first line\n> second line\n\nLet me see.\n\n- `ls` `{\"uri\":\".\"}`\n\nThere is **one**.\n\n## 2\n\n> and now\n"
			if err != nil || r.Contents[0].Text != want || r.Contents[0].MIMEType != "text/markdown" || r.Contents[0].URI != ann {
				t.Fatalf("%v, %+v", err, r)
			}
			for _, none := range []string{"mutsumi://notebook/broken.mtm", "mutsumi://notebook/../x.mtm", "file:///etc/passwd"} {
				if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: none}); err == nil {
					t.Errorf("%s could be read", none)
				}
			}
			// Another program changes one notebook and adds another.
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: ann}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond) // so that the modification time differs
			write(t, dir, "sub folder/a.mtm", book("1", "Ann", talk+`,{"role":"assistant","content":"later"}`))
			wait(t, "an update", c.updated, func(uri string) bool { return uri == ann })
			if r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: ann}); err != nil || !strings.HasSuffix(r.Contents[0].Text, "> and now\n\nlater\n") {
				t.Errorf("after the update: %v, %+v", err, r)
			}
			write(t, dir, "c.mtm", book("3", "Cid", ""))
			os.Remove(filepath.Join(dir, ".mutsumi/b.mtm"))
			for now := ""; now != "mutsumi://notebook/c.mtm Cid\n"+ann+" Ann"; now = strings.Join(c.addresses(), "\n") {
				wait(t, "a new list, not "+now, c.listed, func(bool) bool { return true })
			}
		})
	}
}

func TestSearchAndRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.mtm", book("1", "Ann", talk))
	write(t, dir, "b.mtm", book("2", "The second", `{"role":"user","content":"SECOND thoughts, second to none"}`))
	write(t, dir, "twin.mtm", book("3", "Twin", ""))
	write(t, dir, "twin too.mtm", book("4", "Twin", `{"role":"user","content":"`+strings.Repeat("é", 120_000)+`"}`))
	c := connect(t, nil, newest, dir)
	type found struct {
		Matches []struct {
			Notebook, Agent, In, Text string
			Cell                      int
		}
		Total int
	}
	var f found
	text, bad := c.call(&f, "search", map[string]any{"text": "second"})
	if bad || f.Total != 4 || len(f.Matches) != 4 || f.Matches[0].In != "name" || f.Matches[0].Notebook != "b.mtm" {
		t.Errorf("found %+v", f)
	}
	if !strings.Contains(text, "a.mtm (Ann), cell 1, prompt: first line second line\n") || !strings.Contains(text, "b.mtm (The second), cell 1, prompt: SECOND thoughts") {
		t.Errorf("got %s", text)
	}
	for _, q := range []struct {
		args  map[string]any
		total int
		in    string
	}{
		{map[string]any{"text": "SECOND", "case": true}, 1, "prompt"},
		{map[string]any{"text": "a ```"}, 1, "result"},
		{map[string]any{"text": "is.+one", "regexp": true}, 1, "answer"},
		{map[string]any{"text": "second", "notebook": "Ann"}, 1, "prompt"},
		{map[string]any{"text": "second", "limit": 1}, 4, "name"},
	} {
		var f found
		if _, bad := c.call(&f, "search", q.args); bad || f.Total != q.total || f.Matches[0].In != q.in {
			t.Errorf("%v finds %+v", q.args, f)
		}
	}
	if text, _ := c.call(nil, "search", map[string]any{"text": "nowhere"}); text != "Nothing was found.\n" {
		t.Error(text)
	}

	for _, name := range []string{"a.mtm", "Ann", "mutsumi://notebook/a.mtm"} {
		if text, bad := c.call(nil, "read", map[string]any{"notebook": name}); bad || !strings.HasPrefix(text, "# Ann\n\n## 1\n") {
			t.Errorf("%s: %s", name, text)
		}
	}
	want := "> first line\n> second line\n\nLet me see.\n\n- `ls` `{\"uri\":\".\"}`\n\n````\na ``` b\n````\n\nThere is **one**.\n"
	if text, bad := c.call(nil, "read", map[string]any{"notebook": "a.mtm", "cell": 1}); bad || text != want {
		t.Errorf("the cell: %s", text)
	}
	// A long notebook comes in pieces.
	all, offset := "", 0
	for {
		text, bad := c.call(nil, "read", map[string]any{"notebook": "twin too.mtm", "offset": offset})
		at := strings.Index(text, "[")
		if bad || len(text) > 101_000 {
			t.Fatalf("%d bytes", len(text))
		}
		if at < 0 {
			all += text
			break
		}
		all += text[:at]
		fmt.Sscanf(text[strings.Index(text, "offset"):], "offset %d", &offset)
	}
	if all != "# Twin\n\n## 1\n\n> "+strings.Repeat("é", 120_000)+"\n" {
		t.Errorf("%d bytes in all", len(all))
	}
	for says, args := range map[string]map[string]any{
		"several agents":    {"notebook": "Twin"},
		"no notebook":       {"notebook": "../a.mtm"},
		"has no cell 9":     {"notebook": "a.mtm", "cell": 9},
		"counted from 1":    {"notebook": "a.mtm", "cell": -1},
		"/etc/passwd":       {"notebook": "/etc/passwd"},
		`required: missing`: {},
	} {
		if text, bad := c.call(nil, "read", args); !bad || !strings.Contains(text, says) {
			t.Errorf("%v: %s", args, text)
		}
	}
}

// handshake is what a client sends first.
const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// Standard output holds nothing but the protocol, whatever is wrong with the folder.
func TestStandardOutputIsTheProtocols(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "broken.mtm", "{")
	write(t, dir, ".mcp.json", `{"mcpServers":{"x":{"command":"true"}}}`)
	write(t, dir, "AGENTS.md", "Say aye.")
	cmd := command(t, nil, "mcp", "serve", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, handshake+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
	out := ""
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		var m struct {
			JSONRPC string
			ID      int
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			t.Errorf("on standard output: %q", line)
		}
		if out += line; m.ID == 2 {
			in.Close()
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &errs)
	}
	if !strings.Contains(out, `"protocolVersion":"2025-06-18"`) || !strings.Contains(out, `"name":"search"`) {
		t.Errorf("%q; %s", out, &errs)
	}
	if recent, err := filepath.Glob(filepath.Join(cmd.Dir, "*", "recent.json")); len(recent) > 0 || err != nil {
		t.Errorf("the served folder became the one opened last: %v, %v", recent, err)
	}
	if !strings.Contains(errs.String(), "left out") {
		t.Errorf("on standard error: %q", &errs)
	}
}
