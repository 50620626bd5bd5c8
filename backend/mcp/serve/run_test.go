package serve_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

// ran is the result of `run`.
type ran struct {
	Notebook, Outcome, Answer, Problem string
	Cell                               int
	Refused                            []struct{ Tool, Why string }
}

func TestRun(t *testing.T) {
	server := providertest.New(t, "models m\nanswer when \"asked twice\"\ntext Again.\nanswer when \"for a new one\"\ntext \"A new agent.\"\n"+
		"answer when \"look around\"\ntext \"I look.\"\ntool ls {\"uri\":\".\"}\nanswer when \"look around\"\ntext \"It is empty.\"")
	dir := t.TempDir()
	file := write(t, dir, "a.mtm", book("1", "Ann", talk))
	c := connect(t, server, newest, dir)
	var out ran
	text, bad := c.call(&out, "run", map[string]any{"notebook": "Ann", "prompt": "asked twice"})
	if bad || out.Answer != "Again." || out.Notebook != "a.mtm" || out.Cell != 3 || out.Outcome != "done" || text != "Again.\n\n[Notebook a.mtm, cell 3]" {
		t.Fatalf("%s, %+v", text, out)
	}
	if saved := read(t, file); !strings.Contains(saved, "asked twice") || !strings.Contains(saved, "Again.") {
		t.Errorf("the file: %s", saved)
	}
	// A new agent.
	if _, bad = c.call(&out, "run", map[string]any{"prompt": "for a new one", "name": "Newcomer"}); bad || out.Answer != "A new agent." || out.Cell != 1 {
		t.Fatalf("%+v", out)
	}
	if !strings.Contains(read(t, filepath.Join(dir, out.Notebook)), `"Newcomer"`) {
		t.Errorf("%s has another name", out.Notebook)
	}
	waittest.Until(t, "the new one in the list", func() bool { return strings.Contains(strings.Join(c.addresses(), "\n"), " Newcomer") })
	// Progress is reported during the run.
	params := &mcp.CallToolParams{Name: "run", Arguments: map[string]any{"notebook": out.Notebook, "prompt": "look around"}}
	params.SetProgressToken("mine")
	r, err := c.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if c.read(&out, r); out.Answer != "I look.\n\nIt is empty." || out.Cell != 2 {
		t.Errorf("%+v", out)
	}
	told := func() (all string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		last := 0.0
		for _, p := range c.progress {
			if p.ProgressToken != "mine" || p.Progress <= last {
				t.Errorf("got progress %+v after %v", p, last)
			}
			last = p.Progress
			all += p.Message + "\n"
		}
		return all
	}
	waittest.Until(t, "progress", func() bool { return strings.Contains(told(), "thinking") && strings.Contains(told(), "writing: ") })
	for says, args := range map[string]map[string]any{
		"is empty":    {"notebook": "Ann", "prompt": " "},
		"no notebook": {"notebook": "nobody", "prompt": "x"},
		"new agent":   {"notebook": "Ann", "prompt": "x", "kind": "chat"},
		"no kind":     {"prompt": "x", "kind": "nonsense"},
	} {
		if text, bad := c.call(nil, "run", args); !bad || !strings.Contains(text, says) {
			t.Errorf("%v: %s", args, text)
		}
	}
}

func TestAFailedRunSaysWhy(t *testing.T) {
	server := providertest.New(t, "models m\nanswer\nfail 401 Wrong key")
	dir := t.TempDir()
	write(t, dir, "a.mtm", book("1", "Ann", ""))
	c := connect(t, server, newest, dir)
	var out ran
	if text, bad := c.call(&out, "run", map[string]any{"notebook": "Ann", "prompt": "x"}); !bad || out.Outcome != "failed" || out.Problem == "" || !strings.Contains(text, out.Problem) {
		t.Errorf("%s, %+v", text, out)
	}
}

// Nothing that a person would be asked about changes, and the result names what was tried.
func TestWhatNeedsAPersonIsRefusedAndNamed(t *testing.T) {
	for _, x := range []struct {
		flags        []string
		call         string
		offered, ran bool
	}{
		{nil, `write_file {"uri":"x.txt","content":"x"}`, false, false},
		{[]string{"--approve", "reads"}, `bash {"command":"touch x.txt"}`, false, false},
		{[]string{"--approve", "none"}, `write_file {"uri":"x.txt","content":"x"}`, false, false},
		{[]string{"--approve", "all"}, `ask_user {"question":"May I?"}`, true, false},
		{[]string{"--approve", "all"}, `write_file {"uri":"x.txt","content":"x"}`, true, true},
	} {
		t.Run(strings.Join(x.flags, " ")+" "+x.call, func(t *testing.T) {
			server := providertest.New(t, "models m\nanswer\ntool "+x.call+"\nanswer\ntext I would have.")
			dir := t.TempDir()
			write(t, dir, "a.mtm", book("1", "Ann", ""))
			c := connect(t, server, newest, dir, x.flags...)
			var out ran
			text, bad := c.call(&out, "run", map[string]any{"notebook": "Ann", "prompt": "do it"})
			name, _, _ := strings.Cut(x.call, " ")
			_, err := os.Stat(filepath.Join(dir, "x.txt"))
			if bad || out.Answer != "I would have." || (err == nil) != x.ran {
				t.Errorf("%s, %+v, %v", text, out, err)
			}
			if named := len(out.Refused) == 1 && out.Refused[0].Tool == name && strings.Contains(text, "[Refused: "+name); named == x.ran {
				t.Errorf("refused %+v: %s", out.Refused, text)
			}
			offered := false
			for _, tool := range server.Requests()[0].Tools {
				offered = offered || tool == "write_file"
			}
			if offered != x.offered {
				t.Errorf("offered: %v", offered)
			}
		})
	}
}

// If a budget is spent, the program would ask the person to raise it.
func TestASpentBudgetIsNotRaised(t *testing.T) {
	server := providertest.New(t, "models gpt-4o\nanswer always\ntool ls {\"uri\":\".\"}\nusage 100000 10000")
	dir := t.TempDir()
	write(t, dir, "a.mtm", strings.Replace(book("1", "Ann", ""), `"allowed_uris"`, `"mutsumi_budget":0.01,"allowed_uris"`, 1))
	c := connect(t, server, newest, dir)
	var out ran
	text, bad := c.call(&out, "run", map[string]any{"notebook": "Ann", "prompt": "x"})
	if !bad || len(out.Refused) != 1 || out.Refused[0].Tool != "budget" || len(server.Requests()) > 2 {
		t.Errorf("%s, %+v, %d requests", text, out, len(server.Requests()))
	}
}

// A call in the prompt itself is refused like a call of the model.
func TestACallInThePromptIsRefused(t *testing.T) {
	server := providertest.New(t, "models m\nanswer\ntext Fine.")
	dir := t.TempDir()
	write(t, dir, "a.mtm", book("1", "Ann", ""))
	c := connect(t, server, newest, dir)
	var out ran
	c.call(&out, "run", map[string]any{"notebook": "Ann", "prompt": `Look: @[write_file{"uri":"x.txt","content":"x"}]`})
	if _, err := os.Stat(filepath.Join(dir, "x.txt")); err == nil || len(out.Refused) != 1 || out.Refused[0].Tool != "write_file" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestCancellationStopsTheRun(t *testing.T) {
	for name, revision := range map[string]string{"newest": newest, "legacy": legacy} {
		t.Run(name, func(t *testing.T) {
			server := providertest.New(t, "models m\nanswer when \"first\"\ntext arrived\nstall\nanswer when \"second\"\ntext Next.")
			dir := t.TempDir()
			file := write(t, dir, "a.mtm", book("1", "Ann", ""))
			c := connect(t, server, revision, dir)
			ctx, cancel := context.WithCancel(t.Context())
			first := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "run", Arguments: map[string]any{"notebook": "Ann", "prompt": "first"}})
				first <- err
			}()
			waittest.Until(t, "a part on the disk", func() bool { return strings.Contains(read(t, file), "arrived") })
			// Another request waits behind it, and must not end with it.
			second := make(chan string, 1)
			go func() {
				r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "run", Arguments: map[string]any{"notebook": "Ann", "prompt": "second"}})
				if err != nil {
					second <- err.Error()
					return
				}
				text, _ := c.read(nil, r)
				second <- text
			}()
			time.Sleep(100 * time.Millisecond) // until it has arrived there, which nothing shows: it does nothing yet
			cancel()
			if err := <-first; err == nil {
				t.Error("the cancelled call succeeded")
			}
			if got := <-second; !strings.HasPrefix(got, "Next.") {
				t.Errorf("the second: %s", got)
			}
			if saved := read(t, file); !strings.Contains(saved, "arrived") || !strings.Contains(saved, `"outcome": "stopped"`) || strings.Count(saved, `"outcome"`) != 2 {
				t.Errorf("the file: %s", saved)
			}
		})
	}
}

// If another process runs the notebook, the client learns which one.
func TestANotebookThatAnotherProcessRuns(t *testing.T) {
	server := providertest.New(t, "models m\nanswer\ntext half\nwait on\ntext \", whole\"")
	dir := t.TempDir()
	file := write(t, dir, "a.mtm", book("1", "Ann", ""))
	other := command(t, server, "run", file, "--prompt", "theirs")
	c := connect(t, server, newest, dir)
	other.Env = c.cmd.Env
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "half of theirs on the disk", func() bool { return strings.Contains(read(t, file), "half") })
	if text, bad := c.call(nil, "run", map[string]any{"notebook": "Ann", "prompt": "ours"}); !bad || !strings.Contains(text, "another program (process ") {
		t.Errorf("got %s", text)
	}
	server.Let("on")
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	if got := read(t, file); strings.Contains(got, "ours") || !strings.Contains(got, "half, whole") {
		t.Errorf("the file: %s", got)
	}
}

// When the client leaves, or a signal comes, the run stops and is saved completely.
func TestItEndsWithItsClient(t *testing.T) {
	for name, end := range map[string]func(cmd *exec.Cmd, in io.Closer) error{
		"input ends": func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		"signal":     func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			server := providertest.New(t, "models m\nanswer\ntext arrived\nstall")
			dir := t.TempDir()
			file := write(t, dir, "a.mtm", book("1", "Ann", ""))
			cmd := command(t, server, "mcp", "serve", dir)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, handshake+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"notebook":"Ann","prompt":"x"}}}`+"\n")
			waittest.Until(t, "a part on the disk", func() bool { return strings.Contains(read(t, file), "arrived") })
			if err := end(cmd, in); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				cmd.Process.Kill()
				t.Fatal("the server does not end")
			}
			if saved := read(t, file); !strings.Contains(saved, `"outcome": "stopped"`) && !strings.Contains(saved, `"outcome": "interrupted"`) {
				t.Errorf("the file: %s", saved)
			}
		})
	}
}
