package acp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/acp/acptest"
	"mutsumi/backend/chat"
	"mutsumi/backend/waittest"
)

// A session continues if the agent still has it. Otherwise a new one gets the conversation as text.
func TestSessions(t *testing.T) {
	before := func(t *Turn) { t.Before = func() string { return "earlier words" } }
	in := func(id string) func(*Turn) { return func(t *Turn) { t.Session.ID = id } }
	said := func(w *world, a answered) string {
		t.Helper()
		if len(a.puts) != 1 {
			t.Fatal(a.told())
		}
		return a.puts[0].Message.Content.String()
	}
	for manners, want := range map[string]string{"": "new", "load": "load", "resume,load": "resume"} {
		w := newWorld(t, strings.Split(manners, ",")...)
		first := w.ask("which")
		if got := said(w, w.ask("which", in(first.session), before)); !strings.HasPrefix(got, "new, prompt 2") {
			t.Errorf("%s: the live session is %s", manners, got)
		}
		w.agents.Drop("n")
		a := w.ask("which", in(first.session), before)
		if got := said(w, a); !strings.HasPrefix(got, want+", prompt 1") || (a.session == first.session) != (want != "new") {
			t.Errorf("%s: after a restart it is %s", manners, got)
		}
		for script, tells := range map[string]bool{"echo": want == "new"} {
			w.agents.Drop("n")
			if got := said(w, w.ask(script, in(first.session), before)); strings.Contains(got, "earlier words") != tells {
				t.Errorf("%s: it was told %s", manners, got)
			}
		}
		w.agents.Drop("n")
		a = w.ask("echo", in("gone"), before)
		if got := said(w, a); !strings.Contains(got, `"text":"`+introduction+`\n\nearlier words"`) || a.session == "gone" {
			t.Errorf("%s: instead of a session that is gone: %s", manners, got)
		}
		if got := said(w, w.ask("echo", in(""), before)); !strings.Contains(got, "earlier words") {
			t.Errorf("%s: for another conversation: %s", manners, got)
		}
	}
}

// What an agent cannot take is left out with a note.
func TestPrompt(t *testing.T) {
	prompt := func(t *Turn) {
		t.Prompt = chat.Content{Parts: []chat.Part{
			{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64,AAAA"}},
			{Type: chat.PartFile, File: &chat.File{Name: "a b.pdf", Data: "data:application/pdf;base64,BBBB"}},
			{Type: chat.PartText, Text: "echo"},
		}}
	}
	for manner, wants := range map[string][]string{
		"":         {"An image is left out", "a b.pdf is left out"},
		"pictures": {`"data":"AAAA"`, `"mimeType":"image/png"`, `"blob":"BBBB"`},
	} {
		a := newWorld(t, manner).ask("", prompt)
		for _, want := range wants {
			if got := a.told(); !strings.Contains(got, want) {
				t.Errorf("no %s in %s", want, got)
			}
		}
	}
}

// The person's choices count for the sessions that follow.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		manner, ids string
		set         [][2]string
		want        string
	}{
		{"modes", "mode=ask model=small", [][2]string{{"mode", "code"}, {"model", "large"}}, "mode code, model large, fast false"},
		{"options", "model=small fast=false", [][2]string{{"model", "large"}, {"fast", "true"}}, "mode ask, model large, fast true"},
	} {
		w := newWorld(t, c.manner)
		calls := w.agents.Calls()
		if v, err := calls.ACPSession("n"); err != nil || v.Agent != "scripted" || v.Live || v.Options == nil || v.Commands == nil {
			t.Errorf("%+v %v", v, err)
		}
		if calls.SetACPOption("n", c.set[0][0], c.set[0][1]) == nil {
			t.Error("a choice that was not offered")
		}
		w.ask("which")
		var v SessionView
		waittest.Until(t, "its commands are known", func() bool {
			v, _ = calls.ACPSession("n")
			return len(v.Commands) == 1
		})
		if !v.Live || v.Session == "" || ids(v) != c.ids || v.Commands[0] != (Command{"plan", "Makes a plan", "what for"}) {
			t.Errorf("%+v", v)
		}
		for _, set := range c.set {
			if err := calls.SetACPOption("n", set[0], set[1]); err != nil {
				t.Error(err)
			}
		}
		if err := calls.SetACPOption("n", c.set[0][0], "unheard-of"); err == nil {
			t.Error("an unknown choice")
		}
		if got := w.ask("which", func(t *Turn) { t.Session.ID = v.Session }).told(); !strings.Contains(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
		w.agents.Drop("n")
		if v, _ = calls.ACPSession("n"); v.Live || len(v.Options) != 2 {
			t.Errorf("%+v", v)
		}
		if got := w.ask("which").told(); !strings.Contains(got, c.want) {
			t.Errorf("a new session: %s, want %s", got, c.want)
		}
		// Another notebook is offered the same before its first session.
		if err := w.agents.place("m").choose("scripted", c.set[0][0], c.set[0][1]); err != nil {
			t.Error(err)
		}
		if v := w.agents.place("m").view("scripted"); len(v.Options) != 2 || v.Options[0].Value != c.set[0][1] {
			t.Errorf("%+v", v)
		}
	}
}

func ids(v SessionView) string {
	var all []string
	for _, o := range v.Options {
		all = append(all, o.ID+"="+o.Value)
		if len(o.Choices) != 2 {
			all = append(all, "without choices")
		}
	}
	return strings.Join(all, " ")
}

// Usage and a changed mode are in the view, and the interface hears of them.
func TestSessionView(t *testing.T) {
	w := newWorld(t, "modes")
	w.ask(`update {"sessionUpdate":"usage_update","used":53000,"size":200000,"cost":{"amount":0.5,"currency":"USD"}}
update {"sessionUpdate":"current_mode_update","currentModeId":"code"}
say x`)
	select {
	case n := <-w.changes:
		if n != "n" {
			t.Error(n)
		}
	case <-time.After(time.Minute):
		t.Error("no change was reported")
	}
	v := w.agents.place("n").view("scripted")
	if v.Used != 53000 || v.Size != 200000 || v.Cost != 0.5 || v.Currency != "USD" || ids(v) != "mode=code model=small" {
		t.Errorf("%+v", v)
	}
}

// An agent that wants a sign-in says so; after it, it answers.
func TestSignIn(t *testing.T) {
	w := newWorld(t, "signin", "terminal")
	calls := w.agents.Calls()
	w.want(w.ask("say x"), "failed: Could not begin: Scripted wants you to sign in first, in the settings under Agents or with its own program in a terminal. It says: Authentication required: more of it")
	view := func() View {
		all, err := calls.ACPAgents()
		if err != nil || all[0].ID != "scripted" || all[0].From != Settings {
			t.Fatal(all, err)
		}
		return all[0]
	}
	if v := view(); v.State != SignIn || v.Version != "1.2.3" || len(v.SignIns) != 2 || v.SignIns[0] != (SignInMethod{"key", "A key", "Uses your key"}) {
		t.Errorf("%+v", v)
	}
	if err := calls.SignInACPAgent("scripted", "login"); err == nil || !strings.HasSuffix(err.Error(), " --login") {
		t.Error(err)
	}
	if err := calls.SignInACPAgent("scripted", "other"); err == nil {
		t.Error("an unknown way")
	}
	if err := calls.SignInACPAgent("scripted", "key"); err != nil {
		t.Fatal(err)
	}
	if v := view(); v.State != Ready || v.Problem != "" {
		t.Errorf("%+v", v)
	}
	w.want(w.ask("say x"), "assistant: x\ndone")
}

// An agent that does not start, or speaks something else, fails with what it said.
func TestStart(t *testing.T) {
	needsShell(t)
	for manner, want := range map[string]string{
		"version2": "Could not start Scripted: it speaks version 2 of the Agent Client Protocol, and this program version 1. Update the older of the two",
		"silent":   "Could not start Scripted: it did not answer within ",
		"garbage":  "Could not start Scripted: it did not answer within ",
	} {
		w := newWorld(t, manner)
		if manner != "version2" {
			w.agents.timing.start = 200 * time.Millisecond
		}
		a := w.ask("say x")
		if a.Fault == nil || !strings.HasPrefix(a.Fault.Message, want) {
			t.Errorf("%s: %s", manner, a.told())
		}
		all, _ := w.agents.Calls().ACPAgents()
		if all[0].State != Broken || all[0].Problem != a.Fault.Message {
			t.Errorf("%+v", all[0])
		}
	}
	w := newWorld(t)
	w.inputs.Do(func(all *[]Input) { (*all)[0].Command = "no-such-agent" })
	w.want(w.ask("say x"), `failed: Could not start Scripted: there is no program "no-such-agent" on this computer. Install it, or correct its command in the settings under Agents`)
	w.inputs.Do(func(all *[]Input) {
		(*all)[0].Command, (*all)[0].Args = "sh", []string{"-c", "echo no config >&2; exit 2"}
	})
	w.want(w.ask("say x"), `failed: Could not start Scripted: it ended: exit status 2; its last line is "no config"`)
	w.want(w.ask("say x", func(t *Turn) { t.Agent = "nobody" }), "failed: Could not find the agent nobody: neither the settings nor this program know it. Choose another one for the notebook")
}

// An idle process ends after a while, and every process with Close.
func TestEnd(t *testing.T) {
	w := newWorld(t)
	w.agents.timing.idle = 50 * time.Millisecond
	w.ask("say x")
	waittest.Until(t, "the idle process ends", func() bool { return !w.agents.place("n").view("scripted").Live })
	w.agents.timing.idle = time.Hour
	w.ask("say x")
	if !w.agents.place("n").view("scripted").Live {
		t.Error("it ended")
	}
	ended := make(chan answered)
	running := make(chan struct{}, 1)
	go func() {
		ended <- w.askIn(context.Background(), "call a read A\nhang", func(t *Turn) {
			t.Notebook, t.NextStep = "m", nil
			t.Host = &beginning{w.host, running}
		})
	}()
	<-running
	w.agents.Close()
	if a := <-ended; a.Fault == nil || len(a.puts) != 2 {
		t.Error(a.told())
	}
	if a := w.ask("say x"); a.Fault == nil || a.Fault.Message != errClosed.Message {
		t.Error(a.told())
	}
}

// beginning is a Host that says when a call begins.
type beginning struct {
	*host
	begins chan struct{}
}

func (b *beginning) Begins(ToolCall) {
	select {
	case b.begins <- struct{}{}:
	default:
	}
}

// Known agents are found in the PATH and in the folders of their installers, own ones come first.
func TestFound(t *testing.T) {
	needsShell(t)
	home, path := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", path)
	t.Setenv("NVM_DIR", "")
	program := func(parts ...string) string {
		file := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	gemini := program(path, "gemini")
	qwen := program(home, ".nvm", "versions", "node", "v20.9.0", "bin", "qwen")
	program(home, ".nvm", "versions", "node", "v9.11.2", "bin", "qwen")
	claude := program(home, ".local", "bin", "claude-code-acp")
	own := []Input{{ID: "mine", Name: "Mine", Command: "not-there", Args: []string{"a b"}}}
	a := Open(Options{Own: func() []Input { return own }})
	defer a.Close()
	all, err := a.Calls().ACPAgents()
	if err != nil {
		t.Fatal(err)
	}
	find := func(id string) View {
		return all[slices.IndexFunc(all, func(v View) bool { return v.ID == id })]
	}
	if v := all[0]; v.ID != "mine" || v.State != Missing || v.Line != `not-there "a b"` || v.SignIns == nil {
		t.Errorf("%+v", v)
	}
	for id, line := range map[string]string{"gemini": "gemini --acp", "qwen-code": "qwen --acp", "claude-code": "claude-code-acp"} {
		if v := find(id); v.State != Ready || v.Line != line || v.From != Found || v.Home == "" {
			t.Errorf("%+v", v)
		}
	}
	last := slices.IndexFunc(all[1:], func(v View) bool { return v.State == Missing })
	if slices.ContainsFunc(all[1+last:], func(v View) bool { return v.State == Ready }) {
		t.Error("missing agents are not at the end")
	}
	for id, file := range map[string]string{"gemini": gemini, "qwen-code": qwen, "claude-code": claude} {
		l, err := a.launch(id, "/")
		if err != nil || l.program != file || !strings.HasPrefix(l.env["PATH"], path+string(filepath.ListSeparator)) || !strings.Contains(l.env["PATH"], filepath.Dir(file)) {
			t.Errorf("%s: %+v %v", id, l, err)
		}
	}
}

// Agents of the settings are checked, and have ids that no other has.
func TestSettings(t *testing.T) {
	var saved []Input
	var changed []string
	a := Open(Options{
		Own:  func() []Input { return saved },
		Save: func(in Input) error { saved = append(saved, in); return nil },
		Remove: func(id string) error {
			saved = slices.DeleteFunc(saved, func(in Input) bool { return in.ID == id })
			return nil
		},
		Changed: func(id string) { changed = append(changed, id) },
	})
	defer a.Close()
	c := a.Calls()
	for _, in := range []Input{{Name: "x"}, {Command: "x"}, {Name: "x", Command: "x", Env: map[string]string{"A=": ""}}} {
		if c.AddACPAgent(in) == nil {
			t.Errorf("%+v was saved", in)
		}
	}
	for _, want := range []string{"gemini-2", "gemini-3"} {
		if err := c.AddACPAgent(Input{Name: "Gemini", Command: " g "}); err != nil {
			t.Error(err)
		}
		if in := saved[len(saved)-1]; in.ID != want || in.Command != "g" || a.Name(want) != "Gemini" {
			t.Errorf("%+v", in)
		}
	}
	if err := c.RemoveACPAgent("gemini-2"); err != nil || len(saved) != 1 || len(changed) != 3 {
		t.Error(err, saved, changed)
	}
}

// A version of a known agent that takes other arguments is started with those.
func TestOlderArguments(t *testing.T) {
	needsShell(t)
	path := t.TempDir()
	self, env := acptest.Command()
	script := "#!/bin/sh\n[ \"$1\" = --experimental-acp ] || { echo 'Unknown arguments: acp' >&2; exit 1; }\n"
	for name, value := range env {
		script += name + "='" + value + "' "
	}
	if err := os.WriteFile(filepath.Join(path, "gemini"), []byte(script+"exec '"+self+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path+string(filepath.ListSeparator)+os.Getenv("PATH"))
	w := newWorld(t)
	for range 2 {
		w.want(w.ask("which", func(t *Turn) { t.Agent = "gemini" }), "assistant: new, prompt 1, mode ask, model small, fast false\ndone")
	}
}
