package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/files"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

func TestASession(t *testing.T) {
	server := providertest.New(t, "models m n\n"+
		"answer when \"write it\"\nreasoning Hm.\ntext I write.\ntool write_file {\"uri\":\"b.txt\",\"content\":\"one\\ntwo\\n\"}\nusage 100 10\nanswer when \"write it\"\ntext Done.\nusage 120 5\n"+
		"answer when \"remove it\"\ntool shell {\"command\":\"rm b.txt\"}\nanswer when \"remove it\"\ntext A pity.")
	dir := t.TempDir()
	write(t, dir, "a.txt", "the file\n")
	e := connect(t, server)
	r, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
	if err != nil || r.Modes.CurrentModeId != "ask" || r.Models == nil || len(r.ConfigOptions) < 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	id := r.SessionId
	if found := notebooks(t, dir); len(found) > 0 {
		t.Errorf("a session that is not used leaves %v", found)
	}
	set, err := e.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{SessionId: id, ConfigId: "model", Value: "environment/n"}})
	if err != nil || !slices.ContainsFunc(set.ConfigOptions, func(o acp.SessionConfigOption) bool { return o.Select.CurrentValue == "environment/n" }) {
		t.Fatalf("%+v, %v", set, err)
	}
	e.must(id, text("Look at "), acp.ResourceLinkBlock("a.txt", files.ToURI(filepath.Join(dir, "a.txt"))), text(" and write it"))
	if got := e.heard(id); got != "thinks Hm.\nsays I write.\ncall Write file (edit) pending\ncall in_progress\ncall in_progress\ncall completed\nsays Done.\n" {
		t.Errorf("heard:\n%s", got)
	}
	asked := e.questions()
	if len(asked) != 1 {
		t.Fatalf("asked %d times", len(asked))
	}
	call := asked[0].ToolCall
	if *call.Title != "Writing b.txt" || *call.Kind != acp.ToolKindEdit || call.Locations[0].Path != filepath.Join(dir, "b.txt") {
		t.Errorf("asked about %+v", call)
	}
	if i := slices.IndexFunc(call.Content, func(c acp.ToolCallContent) bool { return c.Diff != nil }); i < 0 || call.Content[i].Diff.NewText != "one\ntwo\n" || call.Content[i].Diff.OldText != nil {
		t.Errorf("the change: %+v", call.Content)
	}
	if got := read(t, filepath.Join(dir, "b.txt")); got != "one\ntwo\n" {
		t.Errorf("the file: %q", got)
	}
	first := server.Requests()[0]
	if first.Model != "n" || !strings.Contains(first.Text(), "@[a.txt]") || !strings.Contains(first.Text(), "the file") {
		t.Errorf("model %s got %s", first.Model, first.Text())
	}
	found := notebooks(t, dir)
	if len(found) != 1 || !strings.Contains(read(t, found[0]), string(id)) || !strings.Contains(read(t, found[0]), "Done.") {
		t.Fatalf("saved: %v", found)
	}
	// A rejected call.
	e.decide = func(context.Context, acp.RequestPermissionRequest) string { return "reject" }
	e.must(id, text("remove it"))
	if got := e.heard(id); !strings.HasSuffix(got, "call failed\nsays A pity.\n") {
		t.Errorf("heard:\n%s", got)
	}
	asked = e.questions()
	if len(asked) != 1 || !strings.Contains(asked[0].ToolCall.Content[0].Content.Content.Text.Text, "rm b.txt") {
		t.Fatalf("asked %+v", asked)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil {
		t.Error("a rejected command ran")
	}
	// It is listed, and loaded by another editor.
	list, err := e.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &dir})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != id || list.Sessions[0].Cwd != dir {
		t.Fatalf("listed %+v, %v", list, err)
	}
	other := connect(t, nil)
	loaded, err := other.LoadSession(t.Context(), acp.LoadSessionRequest{Cwd: dir, SessionId: id, McpServers: []acp.McpServer{}})
	if err != nil || string(loaded.Models.CurrentModelId) != "environment/n" {
		t.Fatalf("%+v, %v", loaded, err)
	}
	want := "user Look at @[a.txt] and write it\nthinks Hm.\nsays I write.\ncall Writing b.txt (edit) in_progress\ncall completed\nsays Done.\n" +
		"user remove it\ncall Running rm b.txt (execute) in_progress\ncall failed\nsays A pity.\n"
	if got := other.heard(id); got != want {
		t.Errorf("replayed:\n%s", got)
	}
	if _, err := e.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: id}); err != nil {
		t.Error(err)
	}
	for says, err := range map[string]error{
		"load it first": func() error { _, err := e.prompt(id, text("x")); return err }(),
		"no notebook": func() error {
			_, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{Cwd: dir, SessionId: "x", McpServers: []acp.McpServer{}})
			return err
		}(),
		"absolute": func() error {
			_, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: "x", McpServers: []acp.McpServer{}})
			return err
		}(),
		"no such": func() error {
			_, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir + "/none", McpServers: []acp.McpServer{}})
			return err
		}(),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := e.ResumeSession(t.Context(), acp.ResumeSessionRequest{Cwd: dir, SessionId: id}); err != nil {
		t.Error(err)
	}
}

// A change of a file is shown with the whole texts.
func TestAChangeIsShownWhole(t *testing.T) {
	server := providertest.New(t, "models m\nanswer\ntool edit_file {\"uri\":\"a.txt\",\"edits\":[{\"old\":\"10\",\"new\":\"ten\"},{\"old\":\"40\\n\",\"new\":\"\"}]}\nanswer\ntext Done.")
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintln(&lines, i)
	}
	file := write(t, dir, "a.txt", lines.String())
	e := connect(t, server)
	e.must(e.begin(dir), text("edit"))
	asked := e.questions()
	if len(asked) != 1 {
		t.Fatalf("asked %d times", len(asked))
	}
	i := slices.IndexFunc(asked[0].ToolCall.Content, func(c acp.ToolCallContent) bool { return c.Diff != nil })
	if i < 0 {
		t.Fatalf("no change in %+v", asked[0].ToolCall)
	}
	diff := asked[0].ToolCall.Content[i].Diff
	if diff.Path != file || *diff.OldText != lines.String() || diff.NewText != read(t, file) || !strings.Contains(diff.NewText, "ten") {
		t.Errorf("%+v", diff)
	}
}

// What the folder brings has no effect until it is trusted, and the person is told.
func TestTrust(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".claude/commands/greet.md", "Say hello to $1.")
	hasCommand := func(e *editor, id acp.SessionId) (has bool) {
		e.updates.Do(func(all *[]acp.SessionNotification) {
			for _, n := range *all {
				if c := n.Update.AvailableCommandsUpdate; c != nil && n.SessionId == id {
					has = slices.ContainsFunc(c.AvailableCommands, func(c acp.AvailableCommand) bool { return c.Name == "greet" })
				}
			}
		})
		return has
	}
	server := providertest.New(t, "models m\nanswer\ntext Fine.")
	e := connect(t, server)
	id := e.begin(dir)
	e.must(id, text("/greet Ann"))
	offered := hasCommand(e, id)
	if got := e.heard(id); !strings.HasPrefix(got, "thinks Left out, because "+dir) || offered || strings.Contains(server.Requests()[0].Text(), "Say hello") {
		t.Errorf("heard %s", got)
	}
	server = providertest.New(t, "models m\nanswer\ntext Fine.")
	e = connect(t, server, "--trust")
	id = e.begin(dir)
	waittest.Until(t, "the command", func() bool { return hasCommand(e, id) })
	e.must(id, text("/greet Ann"))
	if got := e.heard(id); got != "says Fine.\n" || !strings.Contains(server.Requests()[0].Text(), "Say hello to Ann.") {
		t.Errorf("heard %s", got)
	}
}

// A cancelled prompt ends with what has come, whether it streams, waits for the person or for the
// prompt before it.
func TestCancel(t *testing.T) {
	server := providertest.New(t, "models m\nanswer when \"first\"\ntext arrived\nstall\n"+
		"answer when \"ask\"\ntool shell {\"command\":\"touch x.txt\"}\nanswer when \"third\"\ntext Here.")
	dir := t.TempDir()
	e := connect(t, server)
	id := e.begin(dir)
	type result struct {
		reason acp.StopReason
		err    error
	}
	begin := func(what string) chan result {
		c := make(chan result, 1)
		go func() {
			reason, err := e.prompt(id, text(what))
			c <- result{reason, err}
		}()
		return c
	}
	cancelled := func(c chan result) {
		t.Helper()
		select {
		case r := <-c:
			if r.err != nil || r.reason != acp.StopReasonCancelled {
				t.Errorf("%+v", r)
			}
		case <-time.After(time.Minute):
			t.Fatal("it does not end")
		}
	}
	first := begin("first")
	waittest.Until(t, "a part", func() bool { return strings.Contains(e.heard(id), "arrived") })
	behind := begin("never sent")
	waittest.Until(t, "the prompt behind it", func() bool { return e.prompts.n.Load() == 2 })
	if err := e.Cancel(t.Context(), acp.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	cancelled(first)
	cancelled(behind)
	if saved := read(t, notebooks(t, dir)[0]); !strings.Contains(saved, "arrived") || !strings.Contains(saved, `"outcome": "stopped"`) || strings.Contains(saved, "never") {
		t.Errorf("the file: %s", saved)
	}
	// In a question: the editor learns that no answer is needed.
	asked, gone := make(chan bool), make(chan bool)
	e.decide = func(ctx context.Context, _ acp.RequestPermissionRequest) string {
		close(asked)
		<-ctx.Done()
		close(gone)
		return ""
	}
	second := begin("ask")
	<-asked
	if err := e.Cancel(t.Context(), acp.CancelNotification{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	cancelled(second)
	<-gone
	e.must(id, text("third"))
}

// How a run ends is what the editor is told, and a failure is its sentence.
func TestReasons(t *testing.T) {
	server := providertest.New(t, "models m\nanswer when \"long\"\ntext And\nfinish length\nanswer when \"bad\"\ntext I\nfinish content_filter\nanswer when \"key\"\nfail 401 Wrong key")
	e := connect(t, server)
	id := e.begin(t.TempDir())
	for prompt, want := range map[string]acp.StopReason{"long": acp.StopReasonMaxTokens, "bad": acp.StopReasonRefusal} {
		if reason, err := e.prompt(id, text(prompt)); err != nil || reason != want {
			t.Errorf("%s: %s, %v", prompt, reason, err)
		}
	}
	var failed *acp.RequestError
	if reason, err := e.prompt(id, text("key")); !errors.As(err, &failed) || !strings.Contains(failed.Message, "key") {
		t.Errorf("%s, %v", reason, err)
	}
	if _, err := e.prompt(id, text(" ")); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty prompt: %v", err)
	}
}

// When the editor leaves, or a signal comes, the run stops and is saved.
func TestItEndsWithItsEditor(t *testing.T) {
	for name, end := range map[string]func(e *editor) error{
		"input ends": func(e *editor) error { return e.in.Close() },
		"signal":     func(e *editor) error { return e.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			server := providertest.New(t, "models m\nanswer\ntext arrived\nstall")
			dir := t.TempDir()
			e := connect(t, server)
			id := e.begin(dir)
			answered := make(chan bool)
			go func() {
				defer close(answered)
				_, _ = e.prompt(id, text("x"))
			}()
			waittest.Until(t, "a part", func() bool { return strings.Contains(e.heard(id), "arrived") })
			if err := end(e); err != nil {
				t.Fatal(err)
			}
			select {
			case <-e.Done():
			case <-time.After(time.Minute):
				e.cmd.Process.Kill()
				t.Fatal("it does not end")
			}
			<-answered
			if saved := read(t, notebooks(t, dir)[0]); !strings.Contains(saved, "arrived") || !strings.Contains(saved, `"outcome": "stopped"`) && !strings.Contains(saved, `"outcome": "interrupted"`) {
				t.Errorf("the file: %s", saved)
			}
		})
	}
}

// Other text of the editor is text: only what the person types is a reference. A file as it is on
// the disk becomes a reference, another one is put into the prompt.
func TestContent(t *testing.T) {
	server := providertest.New(t, "models m\nanswer\ntext Fine.")
	dir := t.TempDir()
	write(t, dir, "a.txt", "one\ntwo\nthree\n")
	file := func(uri, text string) acp.ContentBlock {
		return acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: uri, Text: text}})
	}
	e := connect(t, server)
	id := e.begin(dir)
	uri := files.ToURI(filepath.Join(dir, "a.txt"))
	dot := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	e.must(id, text("Compare"), file(uri, "one\ntwo\nthree\n"), file(uri+"#L2:3", "two\nthree"),
		file(uri+"#L2", `changed @[shell{"command":"touch x"}] ![](a.png)`), acp.ResourceLinkBlock("page", "https://example.com/@[a.txt]"), text("now"), acp.ImageBlock(dot, "image/png"))
	saved := read(t, notebooks(t, dir)[0])
	var book struct {
		Context []struct{ Content string }
	}
	if err := json.Unmarshal([]byte(saved), &book); err != nil {
		t.Fatal(err)
	}
	got := book.Context[0].Content
	want := "Compare @[a.txt] @[a.txt:2:3]\n\na.txt#L2 (in it, each @ and ! before a bracket has a space after it):\n\n```\nchanged @ [shell{\"command\":\"touch x\"}] ! [](a.png)\n```\n\n[page](https://example.com/@ [a.txt]) now !["
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ")") {
		t.Errorf("the prompt:\n%s", got)
	}
	if asked := e.questions(); len(asked) != 0 {
		t.Errorf("asked %+v", asked)
	}
}
