package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mutsumi/backend/approval"
	"mutsumi/backend/assemble"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/mcptest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/runner"
	"mutsumi/backend/waittest"
)

// allowed grants calls of tools for always.
func (d *desk) allowed(tools ...string) {
	d.t.Helper()
	for _, name := range tools {
		if err := d.AddApprovalRule("", approval.Rule{Tool: name, Pattern: "*", Scope: approval.Always}); err != nil {
			d.t.Fatal(err)
		}
	}
}

// process is the process of a server of the manner "good", which is started if need be.
func (d *desk) process(server string) *os.Process {
	d.t.Helper()
	r, err := d.CallServer(d.t.Context(), server, "pid", json.RawMessage(`{}`))
	if err != nil {
		d.t.Fatal(err)
	}
	pid, err := strconv.Atoi(r.Parts[0].Text)
	if err != nil {
		d.t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// startAgain starts the only server, and waits until it runs.
func (d *desk) startAgain(server string) {
	d.t.Helper()
	if err := d.RestartServer(server); err != nil {
		d.t.Fatal(err)
	}
	waittest.Until(d.t, "it runs again", func() bool {
		all, err := d.Servers()
		return err == nil && all.Servers[0].State == mcp.Ready
	})
}

// ended waits until a process has ended.
func (d *desk) ended(p *os.Process) {
	d.t.Helper()
	waittest.Until(d.t, "the server's process is gone", func() bool { return p.Signal(syscall.Signal(0)) != nil })
}

// inCall begins a run whose model calls a tool, and returns once the server has the call.
func (d *desk) inCall(path, prompt, server string) (cell string) {
	d.t.Helper()
	cell = d.prompt(path, prompt)
	calls := func() int {
		log, err := d.ServerLog(server)
		if err != nil {
			d.t.Fatal(err)
		}
		return strings.Count(log, mcptest.Hangs)
	}
	before := calls()
	d.run(path, cell, runner.RunCell)
	waittest.Until(d.t, "the agent calls "+server, func() bool { return calls() > before && d.node(path).Action == "calling hang of "+server })
	return cell
}

// A preview that is cancelled, as when the person types on, leaves no failure for the next one.
func TestACancelledPreviewOfAServersPrompt(t *testing.T) {
	t.Parallel()
	d, path := withServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { d.Preview(ctx, path, "", "/demo:second") })
	waittest.Until(t, "the server is asked", func() bool {
		log, err := d.ServerLog("demo")
		return err == nil && strings.Contains(log, mcptest.Hangs)
	})
	cancel()
	done.Wait()
	if text := d.previewed(path, "/demo:second"); !strings.Contains(text, "Given the second time.") {
		t.Errorf("the next preview shows %s", text)
	}
}

// A preview keeps a server's prompt for a while although the server has ended, as it keeps a resource.
func TestAPreviewOfAnEndedServersPrompt(t *testing.T) {
	t.Parallel()
	d, path := withServer(t)
	before := d.previewed(path, "/demo:greet Ada")
	if !strings.Contains(before, "Ada") || strings.Contains(before, assemble.ErrNotRead.Error()) {
		t.Fatalf("the preview shows %s", before)
	}
	if wrong := d.previewed(path, "/demo:greet"); strings.Contains(wrong, assemble.ErrNotRead.Error()) { // it needs a name
		t.Fatalf("the preview shows %s", wrong)
	}
	if err := d.process("demo").Kill(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "it has ended", func() bool {
		all, err := d.Servers()
		return err == nil && all.Servers[0].State != mcp.Ready
	})
	if after := d.previewed(path, "/demo:greet Ada"); after != before {
		t.Errorf("after the end it shows %s", after)
	}
	for _, prompt := range []string{"/demo:greet Ben", "/demo:greet"} {
		if other := d.previewed(path, prompt); !strings.Contains(other, assemble.ErrNotRead.Error()) {
			t.Errorf("of %s, which was not read, it shows %s", prompt, other)
		}
	}
}

// withServer opens a folder with an agent and a server, demo, that runs.
func withServer(t *testing.T) (d *desk, agent string) {
	t.Helper()
	d = open(t, "", "")
	d.servers(map[string]string{"demo": "good"})
	agent = d.create("Typist")
	d.startAgain("demo")
	return d, agent
}

// previewed returns the text of the messages that a prompt would send.
func (d *desk) previewed(path, prompt string) string {
	d.t.Helper()
	var text strings.Builder
	for _, m := range d.preview(path, "", prompt).Messages {
		for _, s := range m.Segments {
			text.WriteString(s.Text)
		}
	}
	return text.String()
}

// A question of a server ends with its call: when the agent is stopped, when the server is, and when
// the folder is no longer trusted, even if the server keeps asking. The agent learns why, unless it
// was stopped itself.
func TestAServersQuestionEndsWithItsCall(t *testing.T) {
	t.Parallel()
	question := `tool demo__send {"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}` + "\n"
	d := open(t, "", saying("first", question)+saying("second", question)+saying("it was stopped", "text I heard.")+saying("third", question)+saying("it was stopped", "text I heard."))
	d.servers(map[string]string{"demo": "stubborn"})
	d.allowed("demo__send")
	path := d.create("Caller")
	for _, c := range []struct {
		prompt, answer string
		end            func() error
	}{
		{"first", "", func() error { return d.Stop(path) }},
		{"second", "I heard.", func() error { return d.StopServer("demo") }},
		{"third", "I heard.", func() error { return d.TrustFolder(false) }},
	} {
		if c.prompt == "third" {
			d.startAgain("demo")
		}
		cell := d.prompt(path, c.prompt)
		d.run(path, cell, runner.RunCell)
		if r := d.asks(); r.Question == nil {
			t.Fatalf("%s: %+v", c.prompt, r)
		}
		if err := c.end(); err != nil {
			t.Fatal(err)
		}
		d.untilFinished(1)
		waittest.Until(t, c.prompt+": the question is gone", func() bool {
			waiting, err := d.Approvals()
			return err == nil && len(waiting) == 0
		})
		if got := d.answer(path, cell); !strings.HasSuffix(got, c.answer) {
			t.Errorf("%s: got %q", c.prompt, got)
		}
	}
}

// A request to open an address is answered in the inbox; a call that waited for it is made then.
func TestAServersAddress(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool demo__page {}\nanswer when \"accept\"\ntool demo__first {}\nanswer when \"done at last\"\ntool demo__page {}\nanswer when \"decline\"\ntext Done.")
	d.servers(map[string]string{"demo": "good"})
	d.allowed("demo__page", "demo__first")
	path := d.create("Caller")
	cell := d.prompt(path, "call")
	d.run(path, cell, runner.RunCell)
	for _, c := range []struct{ choice, text string }{
		{"I opened it", "> https://login.example/a?b=c"}, {"I am done there", "> https://login.example/a?b=c\n\nIt does what the agent asked for once you are done there."}, {"No", "It wants you to open this address, which it chose:"},
	} {
		r := d.asks()
		if r.Question == nil || !strings.HasPrefix(r.Question.Text, "The MCP server demo asks:\n\n> Log in <U+202E>there.\n\n") || !strings.Contains(r.Question.Text, c.text) || !slices.Contains(r.Question.Choices, c.choice) {
			t.Fatalf("%+v", r.Question)
		}
		if err := d.ResolveApproval(r.ID, approval.Decision{Allow: true, Answer: c.choice}); err != nil {
			t.Fatal(err)
		}
	}
	d.untilFinished(1)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "Done.") {
		t.Errorf("got %q", got)
	}
}

// A server that is stopped, restarted or no longer trusted during a call ends that call with an error
// that says so; the agent continues, and so does the program's list of servers.
func TestAServerThatIsEndedInACall(t *testing.T) {
	t.Parallel()
	hang := "tool demo__hang {}\n"
	d := open(t, "", saying("stop", hang)+saying("Could not call demo__hang: it was stopped. It may have taken effect", "tool demo__echo {\"text\":\"x\"}\n")+
		saying("is stopped: the person can start it again", "text Stopped.")+
		saying("restart", hang)+saying("it was stopped", "tool demo__echo {\"text\":\"here again\"}\n")+saying("here again", "text Restarted.")+
		saying("trust", hang)+saying("it was stopped", "tool demo__echo {\"text\":\"x\"}\n")+saying("not trusted", "text Not trusted.")+
		saying("change", hang)+saying("it was stopped", "text Changed."))
	d.servers(map[string]string{"demo": "good"})
	d.allowed("demo__hang", "demo__echo")
	path := d.create("Caller")
	for _, c := range []struct {
		prompt, answer string
		end            func() error
	}{
		{"stop", "Stopped.", func() error { return d.StopServer("demo") }},
		{"restart", "Restarted.", func() error { return d.RestartServer("demo") }},
		{"trust", "Not trusted.", func() error { return d.TrustFolder(false) }},
		{"change", "Changed.", func() error { d.put(".mcp.json", `{"mcpServers": {}}`); return nil }},
	} {
		switch c.prompt {
		case "restart":
			d.startAgain("demo")
		case "change":
			if err := d.TrustFolder(true); err != nil {
				t.Fatal(err)
			}
		}
		p := d.process("demo")
		cell := d.inCall(path, c.prompt, "demo")
		if err := c.end(); err != nil {
			t.Fatal(err)
		}
		d.untilFinished(1)
		if got := d.answer(path, cell); !strings.HasSuffix(got, c.answer) {
			t.Errorf("%s: got %q", c.prompt, got)
		}
		d.ended(p)
	}
}

// An unused server still ends when the folder is no longer trusted, when its file changes, and when
// it is removed from the settings.
func TestServersEndWithoutBeingLookedAt(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.servers(map[string]string{"demo": "good"})
	p := d.process("demo")
	if err := d.TrustFolder(false); err != nil {
		t.Fatal(err)
	}
	d.ended(p)
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	p = d.process("demo")
	d.write(".mcp.json", `{"mcpServers": {"demo": {"command": "another"}}}`)
	d.ended(p)
}

// A tool that changed since it was allowed is withheld from a child too, and undoing the parent's
// work accepts nothing.
func TestAChangedToolInAChild(t *testing.T) {
	t.Parallel()
	d := openServers(t, saying("Turn 0.", "text Fine.")+saying("PARENT", forkCall("Child: do it"))+
		saying("do it", `tool search_tools {"query":"note"}`)+saying("no tool beside those", "tool small__note {\"text\":\"x\"}")+
		saying("small__note cannot be called: its server changed", `tool task_finish {"summary":"not called"}`)+
		saying("not called", "text All done.")+"answer always\ntext Fine.", openai.New, map[string]string{"small": "told"})
	d.put(".mutsumi/agents/chat.md", "---\nname: chat\ntools: [read, agents, mcp]\nchildren: [chat]\n---\n")
	if err := d.TrustFolder(true); err != nil {
		t.Fatal(err)
	}
	first := d.create("First")
	d.run(first, d.prompt(first, "Turn 0."), runner.RunCell)
	d.untilFinished(1)
	d.allowed("small__note")
	d.tell("small", fmt.Sprintf(lowNote, "Sends"))
	d.restart("small")
	waittest.Until(t, "the change is seen", func() bool { return slices.Equal(d.list()[0].Changed, []string{"note"}) })
	if _, err := d.Undo(first); err != nil {
		t.Fatal(err)
	}
	path, cell := d.fork()
	d.untilOver(path)
	if got := d.answer(path, cell); !strings.HasSuffix(got, "All done.") {
		t.Errorf("got %q", got)
	}
	for _, r := range d.server.Requests() {
		if strings.Contains(string(r.Body), "Sends a note") || strings.Contains(string(r.Body), "child agent") && slices.Contains(r.Tools, "small__note") {
			t.Errorf("a request holds what nobody accepted: %q", r.Tools)
		}
	}
	if changed := d.list()[0].Changed; !slices.Equal(changed, []string{"note"}) {
		t.Error("it counts as accepted:", changed)
	}
}

// Another model has another window, and so another share: deferred tools may be sent, and vice
// versa; with the same model nothing changes, and a fork begins with the request of its original,
// whatever servers do.
func TestDeferralFollowsTheModelAndForks(t *testing.T) {
	t.Parallel()
	d := openServers(t, "answer always\ntext Fine.", openai.New, map[string]string{"big": "many", "small": "told"})
	path := d.create("Switched")
	head := func(path, text string) (head, cell string) {
		t.Helper()
		cell = d.prompt(path, text)
		d.run(path, cell, runner.RunCell)
		d.untilFinished(1)
		all := d.server.Requests()
		head, _, _ = strings.Cut(string(all[len(all)-1].Body), `"messages":`)
		return head[strings.Index(head, `"tools"`):], cell
	}
	narrow, _ := head(path, "Turn 0.")
	if !strings.Contains(narrow, `"small__note"`) || strings.Contains(narrow, `"big__tool1"`) {
		t.Fatalf("with the small window: %.2000s", narrow)
	}
	model := func(path, name string) {
		t.Helper()
		if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditModel, Rest: name}}, ""); err != nil {
			t.Fatal(err)
		}
	}
	model(path, "wide")
	wide, _ := head(path, "Turn 1.")
	if !strings.Contains(wide, `"small__note"`) || !strings.Contains(wide, `"big__tool1"`) {
		t.Fatalf("with the large one: %.2000s", wide)
	}
	d.tell("small", fmt.Sprintf(lowNote, "Sends")) // after this head was made
	d.restart("small")
	again, cell := head(path, "Turn 2.")
	if again != wide {
		t.Error("the same model got another beginning")
	}
	made := d.forkAt(path, cell, "Forked")
	if forked, _ := head(made, "Turn 3."); forked != wide {
		t.Errorf("the fork begins with something else after %d of %d bytes", common(forked, wide), len(wide))
	}
	model(made, "scripted")
	if back, _ := head(made, "Turn 4."); strings.Contains(back, `"big__tool1"`) || !strings.Contains(back, "Sends a note") {
		t.Errorf("with the small window again: %.2000s", back)
	}
}
