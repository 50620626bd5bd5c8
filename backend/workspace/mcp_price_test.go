package workspace_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/provider/anthropic"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/provider/responses"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/waittest"
	"mutsumi/backend/workspace"
)

// Servers of these tests: small and late read their tools from a file, mortal dies when a tool call
// tells it to, and big has so many tools that they are deferred with a small window.
const (
	window  = 32_000
	lowNote = `{"name":"note","description":"%s a note.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`
)

// serverDesk is a desk with servers.
type serverDesk struct {
	*desk
	lists   string
	manners map[string]string
	connect func(exchange.Config) *exchange.Client
}

func openServers(t testing.TB, script string, connect func(exchange.Config) *exchange.Client, manners map[string]string) *serverDesk {
	t.Helper()
	d := &serverDesk{desk: &desk{t: t, folder: t.TempDir(), config: t.TempDir()}, lists: t.TempDir(), manners: manners, connect: connect}
	for name, manner := range manners {
		if manner == "told" {
			d.tell(name, fmt.Sprintf(lowNote, "Keeps"))
		}
	}
	d.start(script)
	d.setUp()
	return d
}

// start opens the folder again, as a restart of the program does.
func (d *serverDesk) start(script string) {
	d.t.Helper()
	store, err := settings.Open(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	server := d.server
	if script != "" {
		server = providertest.New(d.t, script)
	}
	store.SetBuiltIn(server.URL, "test-key", []settings.ModelView{{ID: "scripted", Tools: true, ContextTokens: window}, {ID: "wide", Tools: true, ContextTokens: 400_000}})
	next := &desk{t: d.t, folder: d.folder, config: d.config, state: filepath.Join(d.config, "state"), server: server}
	next.Workspace, err = workspace.Open(workspace.Options{
		Folder: d.folder, CacheDir: cacheOf(d.folder), Settings: store, Kinds: os.DirFS("../../assets/agents"),
		Connect: func(e settings.Endpoint) request.Connection {
			return request.Connection{Model: d.connect(exchange.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key, FirstWait: time.Millisecond})}
		},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { next.Close() })
	next.since = next.Events().Seq()
	next.Nodes()
	d.desk = next
}

// setUp writes the servers' file and trusts it.
func (d *serverDesk) setUp() {
	d.t.Helper()
	all := map[string]any{}
	for name, manner := range d.manners {
		s := mcptest.Server(name, manner)
		env := maps.Clone(s.Env)
		env[mcptest.TellFile] = filepath.Join(d.lists, name)
		all[name] = map[string]any{"command": s.Command, "env": env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		d.t.Fatal(err)
	}
	d.put(".mcp.json", string(raw))
	if err := d.TrustFolder(true); err != nil {
		d.t.Fatal(err)
	}
}

func (d *serverDesk) tell(server, list string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.lists, server), []byte("["+list+"]"), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *serverDesk) list() []mcp.View {
	d.t.Helper()
	all, err := d.Servers()
	if err != nil {
		d.t.Fatal(err)
	}
	return all.Servers
}

// is waits until a server has a state.
func (d *serverDesk) is(server string, state mcp.State) {
	d.t.Helper()
	waittest.Until(d.t, fmt.Sprint(server, " is ", state), func() bool {
		return slices.ContainsFunc(d.list(), func(v mcp.View) bool { return v.Name == server && v.State == state })
	})
}

func (d *serverDesk) restart(server string) {
	d.t.Helper()
	if !slices.ContainsFunc(d.list(), func(v mcp.View) bool { return v.Name == server && v.State == mcp.Stopped }) {
		if err := d.StopServer(server); err != nil {
			d.t.Fatal(err)
		}
		d.is(server, mcp.Stopped)
	}
	if err := d.RestartServer(server); err != nil {
		d.t.Fatal(err)
	}
	d.is(server, mcp.Ready)
}

var protocols = map[string]func(exchange.Config) *exchange.Client{"chat": openai.New, "responses": responses.New, "messages": anthropic.New}

// From turn to turn, a request begins with the bytes of the previous one, whatever the servers do:
// die, return, stop, change their tools, or start for the first time; even across a restart.
// Deferred tools are found and called without changing those bytes. The preview shows exactly what
// is sent.
func TestServersThatComeAndGo(t *testing.T) {
	for name, connect := range protocols {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := saying("Turn 7.", `tool search_tools {"query":"keeps note"}`) +
				saying(`"late__note"`, callNote("late")) +
				"answer always\ntext Fine."
			d := openServers(t, script, connect, map[string]string{"small": "told", "mortal": "good", "big": "many"})
			if err := d.AddApprovalRule("", approval.Rule{Tool: "late__note", Pattern: "*", Scope: approval.Always}); err != nil {
				t.Fatal(err)
			}
			path := d.create("Lasting")
			before := ""
			for n := range 20 {
				switch n {
				case 2:
					d.CallServer(t.Context(), "mortal", "die", json.RawMessage(`{}`))
					d.is("mortal", mcp.Failed)
				case 4:
					d.manners["late"] = "told"
					d.tell("late", fmt.Sprintf(lowNote, "Keeps"))
					d.setUp()
				case 6, 18:
					d.tell("small", fmt.Sprintf(lowNote, "Sends")+`,{"name":"aaa","inputSchema":{"type":"object"}}`)
					d.restart("small")
				case 9:
					if err := d.StopServer("small"); err != nil {
						t.Fatal(err)
					}
					d.is("small", mcp.Stopped)
				case 11:
					d.tell("small", fmt.Sprintf(lowNote, "Keeps"))
					d.restart("small")
				case 13:
					d.Close()
					d.start("")
				case 15:
					d.tell("late", "")
					d.restart("late")
				}
				text := fmt.Sprintf("Turn %d.", n)
				shown := d.preview(path, "", text).SHA256
				cell := d.prompt(path, text)
				sent := len(d.server.Requests())
				d.run(path, cell, runner.RunCell)
				d.untilFinished(1)
				all := d.server.Requests()[sent:]
				if n == 7 && (len(all) != 3 || !strings.HasSuffix(d.answer(path, cell), "tool: done\nassistant: Fine.")) {
					t.Errorf("%d requests: %s", len(all), d.answer(path, cell))
				}
				if turn := d.context(path, "", "").Offered.Turn; turn != len(all) {
					t.Errorf("turn %d sent the definitions %d times, and %d are told", n, len(all), turn)
				}
				if n > 0 && n != 13 && shown != fmt.Sprintf("%x", sha256.Sum256(all[0].Body)) { // after a restart the servers do not run at first
					t.Errorf("turn %d: the preview is not what was sent", n)
				}
				for i, r := range all {
					// Cache marks move with the end.
					body := strings.ReplaceAll(string(r.Body), `,"cache_control":{"type":"ephemeral"}`, "")
					end := len(before)
					if i == 0 && n > 0 {
						at := fmt.Sprintf("Turn %d.", n-1)
						end = strings.Index(before, at) + len(at)
					}
					if same := common(before, body); n > 0 && i == 0 && same < end {
						t.Errorf("turn %d: the first %d bytes are as before, not the first %d: %.300q instead of %.300q", n, same, end, body[same:], before[same:])
					}
					if i == 0 {
						before = body
					}
					head, _, _ := strings.Cut(body, "Turn 0.")
					for _, want := range []string{`"search_tools"`, `"call_tool"`, `"small__note"`, `"small__reread"`, `"mortal__echo"`} {
						if !strings.Contains(head, `"name":`+want) {
							t.Errorf("turn %d has no %s", n, want)
						}
					}
					if strings.Contains(head, `"name":"big__tool1"`) || strings.Contains(head, "Sends a note") {
						t.Errorf("turn %d holds deferred tools, or lacks tools that were sent", n)
					}
				}
			}
		})
	}
}
