package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

// together is a folder with one notebook that several processes of one person have open.
type together struct {
	t          *testing.T
	dir, state string
	file       string
	env        []string
	server     *providertest.Server
}

func newTogether(t *testing.T, script string) *together {
	t.Helper()
	g := &together{t: t, dir: t.TempDir(), state: t.TempDir(), server: providertest.New(t, script)}
	g.file = write(t, g.dir, "a.mtm", strings.Replace(empty, `"name"`, `"provider": "environment", "model": "m", "name"`, 1))
	g.env = []string{"OPENAI_BASE_URL=" + g.server.URL, "OPENAI_API_KEY=k", "MUTSUMI_CONFIG=" + t.TempDir(), "MUTSUMI_STATE=" + g.state}
	return g
}

// run types a prompt in a window and runs it.
func (g *together) run(s *served, prompt string) (cell string) {
	g.t.Helper()
	cell = g.add(s, prompt)
	s.call(nil, "Run", "a.mtm", cell, "cell")
	return cell
}

// add types a prompt in a window and saves the notebook.
func (g *together) add(s *served, prompt string) string {
	g.t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	s.call(&made, "Edit", "a.mtm", []map[string]string{{"kind": "insert", "text": prompt}}, "")
	return made.ID
}

// has waits until the notebook's file holds a text.
func (g *together) has(text string) {
	g.t.Helper()
	waittest.Until(g.t, text+" in the notebook", func() bool { return strings.Contains(read(g.t, g.file), text) })
}

// locks lists the files of locks.
func (g *together) locks() []string {
	files, err := filepath.Glob(filepath.Join(g.state, "locks", "*"))
	if err != nil {
		g.t.Fatal(err)
	}
	return files
}

// log returns the log of all processes.
func (g *together) log() string {
	g.t.Helper()
	out, errs, status := call(g.t, "", g.env, "log")
	if status != 0 {
		g.t.Fatal(errs)
	}
	return out
}

// Two windows and the command line have one notebook open: one of them runs its agent, the others
// show who does and since when, and text typed in them is in the notebook.
func TestTwoWindowsAndTheCommandLineOnOneNotebook(t *testing.T) {
	g := newTogether(t, "answer when \"first\"\ntext half\nwait on\ntext \", whole\"\nanswer when \"third\"\ntext the third\nanswer when \"fourth\"\ntext the fourth")
	one, two := serveFolder(t, g.env, g.dir), serveFolder(t, g.env, g.dir)
	var seen any
	two.post(&seen, "api/notebook?path=a.mtm", nil)
	g.run(one, "first")
	g.has("half")
	if len(g.locks()) != 1 {
		t.Errorf("the locks are %v", g.locks())
	}
	host, _ := os.Hostname()
	holder := fmt.Sprintf("another program (process %d on %s, since %s", one.cmd.Process.Pid, host, time.Now().Format("2006-01-02 "))
	_, errs, status := call(t, "", g.env, "run", g.file, "--prompt", "second")
	if status != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "Could not run or stop a.mtm here: "+holder) || !strings.Contains(errs, "stop the agent there") {
		t.Errorf("the command line: status %d, %s", status, errs)
	}
	var cells struct {
		Cells []struct {
			ID string `json:"id"`
		} `json:"cells"`
	}
	waittest.Until(t, "the first prompt in the other window", func() bool { two.post(&cells, "api/notebook?path=a.mtm", nil); return len(cells.Cells) == 1 })
	if problem := two.try(nil, "api/call/Run", []any{"a.mtm", cells.Cells[0].ID, "cell"}); !strings.Contains(problem, "status 409") || !strings.Contains(problem, holder) {
		t.Errorf("the other window: %s", problem)
	}
	// Text typed in the other window is added to the notebook, and is no prompt for the agent.
	waittest.Until(t, "the half in the other window", func() bool {
		var view json.RawMessage
		two.post(&view, "api/notebook?path=a.mtm", nil)
		return strings.Contains(string(view), `"half"`)
	})
	g.add(two, "typed meanwhile")
	g.has("typed meanwhile")
	g.has(`"draft": true`)
	g.server.Let("on")
	g.has("half, whole")
	waittest.Until(t, "the lock let go", func() bool { return len(g.locks()) == 0 })
	g.has(`"outcome": "done"`)
	g.has("typed meanwhile")
	if n := len(g.server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	waittest.Until(t, "the whole answer in the other window", func() bool {
		var view json.RawMessage
		two.post(&view, "api/notebook?path=a.mtm", nil)
		return strings.Contains(string(view), "half, whole") && strings.Contains(string(view), `"outcome":"done"`)
	})
	g.run(two, "third")
	g.has("the third")
	waittest.Until(t, "the lock let go", func() bool { return len(g.locks()) == 0 })
	if out, errs, status := call(t, "", g.env, "run", g.file, "--prompt", "fourth"); status != 0 || out != "the fourth\n" {
		t.Errorf("the command line: status %d, %s, %s", status, out, errs)
	}
	got := read(t, g.file)
	for _, want := range []string{"half, whole", "the third", "the fourth"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%s occurs %d times: %s", want, strings.Count(got, want), got)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(g.dir, "*.mtm")); len(files) != 1 || strings.Contains(got, "second") {
		t.Errorf("there are %v: %s", files, got)
	}
}

// The process that runs an agent is killed. Its lock remains, and the next process takes it over
// and logs that.
func TestTheLockOfAKilledProcessIsTakenOver(t *testing.T) {
	g := newTogether(t, "answer when \"first\"\ntext half\nstall\nanswer when \"second\"\ntext the second")
	one := serveFolder(t, g.env, g.dir)
	g.run(one, "first")
	g.has("half")
	one.kill() // SIGKILL
	left := g.locks()
	if len(left) != 1 || !strings.Contains(read(t, left[0]), fmt.Sprintf(`"pid":%d,`, one.cmd.Process.Pid)) {
		t.Fatalf("the lock did not survive: %v", left)
	}
	if out, errs, status := call(t, "", g.env, "run", g.file, "--prompt", "second"); status != 0 || out != "the second\n" {
		t.Errorf("status %d, %s, %s", status, out, errs)
	}
	if len(g.locks()) != 0 {
		t.Errorf("still locked: %v", g.locks())
	}
	if got, want := g.log(), `msg="lock taken over"`; !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf("holder.pid=%d", one.cmd.Process.Pid)) {
		t.Errorf("the log: %s", got)
	}
}

// A process that has not written the notebook yet still holds its lock: here the file is no
// evidence, since it is an older version.
func TestTheLockHoldsWhereTheFileCannotTell(t *testing.T) {
	g := newTogether(t, "answer when \"first\"\ntext half\nwait on\ntext \", whole\"")
	before := read(t, g.file)
	one := serveFolder(t, g.env, g.dir)
	g.run(one, "first")
	g.has("half")
	write(t, g.dir, "a.mtm", before)
	_, errs, status := call(t, "", g.env, "run", g.file, "--prompt", "second")
	if status != 1 || !strings.Contains(errs, fmt.Sprintf("process %d", one.cmd.Process.Pid)) {
		t.Errorf("status %d, %s", status, errs)
	}
	if got := read(t, g.file); strings.Contains(got, "second") {
		t.Errorf("the second was written: %s", got)
	}
	g.server.Let("on")
}

// SPEC 1.4: the person types the next prompt in a window while the command line writes an
// answer into the same notebook. Nothing asks, on either side, and nothing is lost.
func TestTypingWhileAnotherProcessAnswers(t *testing.T) {
	const rounds = 6
	script := "answer when \"first\"\n"
	for i := range rounds {
		script += fmt.Sprintf("text \"piece%d \"\nwait w%d\n", i, i)
	}
	g := newTogether(t, script+"text end")
	window := serveFolder(t, g.env, g.dir)
	g.add(window, "earlier")
	g.has("earlier")
	cmd := command(t, g.env, "run", g.file, "--prompt", "first")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.has("piece0")
	type cells struct {
		Conflict bool
		Cells    []struct{ ID string }
	}
	look := func() (v cells) { window.post(&v, "api/notebook?path=a.mtm", nil); return v }
	waittest.Until(t, "the answer in the window", func() bool { return len(look().Cells) == 2 })
	next := g.add(window, "next")
	for i := range rounds {
		g.server.Let(fmt.Sprintf("w%d", i))
		set := func(cell, text string) {
			window.call(nil, "Edit", "a.mtm", []map[string]string{{"kind": "setText", "cell": cell, "text": text}}, "")
		}
		set(next, fmt.Sprintf("next %d", i))
		g.has(fmt.Sprintf("next %d", i))
		if i+1 < rounds {
			g.has(fmt.Sprintf("piece%d", i+1))
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the command line: %v", err)
	}
	g.has(fmt.Sprintf("piece%d end", rounds-1))
	waittest.Until(t, "all of it in the window", func() bool {
		var view json.RawMessage
		window.post(&view, "api/notebook?path=a.mtm", nil)
		return strings.Contains(string(view), fmt.Sprintf("piece%d end", rounds-1)) && strings.Contains(string(view), fmt.Sprintf("next %d", rounds-1))
	})
	if look().Conflict {
		t.Error("the window asks")
	}
	if files, _ := filepath.Glob(filepath.Join(g.dir, "*.mtm*")); len(files) != 1 {
		t.Errorf("there are %v", files)
	}
	if got := read(t, g.file); strings.Count(got, `"next 5"`) != 1 || strings.Count(got, `"earlier"`) != 1 {
		t.Errorf("the file has %s", got)
	}
}
