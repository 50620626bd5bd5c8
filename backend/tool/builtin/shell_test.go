package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/files"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

func TestMain(m *testing.M) {
	builtin.RunSandbox()
	attack() // does not return in a process that a test's command started to break out
	os.Exit(m.Run())
}

// terminal is a workspace with the shell tools on it, kept by this very binary.
type terminal struct {
	*world
	tasks *builtin.Tasks
	temp  string
	shell *builtin.Shell
	roots *files.Roots
}

// show lets a variable, and the socket that it names, through to commands.
func (x *terminal) show(name string) {
	x.shell.Show = append(x.shell.Show, name)
	x.tools = tool.NewRegistry(builtin.All(builtin.Options{Roots: x.roots, Shell: x.shell})...)
}

func newTerminal(t testing.TB, kept bool, changed func(builtin.TaskChange)) *terminal {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("commands are written for a Unix here")
	}
	w := &world{dir: t.TempDir(), scratch: t.TempDir()}
	roots, err := files.New(w.dir, []string{w.dir, w.scratch})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{world: w, tasks: builtin.NewTasks(changed), temp: t.TempDir()}
	t.Cleanup(x.tasks.Close)
	s := &builtin.Shell{Tasks: x.tasks, Owner: "n1", Temp: func() string { return x.temp }, Hide: []string{"MY_OWN"}}
	if kept {
		if s.Sandbox, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	w.tools = tool.NewRegistry(builtin.All(builtin.Options{Roots: roots, Shell: s})...)
	x.shell, x.roots = s, roots
	return x
}

// both runs a test with a keeper and without.
func both(t *testing.T, f func(t *testing.T, x *terminal)) {
	for _, kept := range []bool{true, false} {
		t.Run(fmt.Sprintf("kept=%v", kept), func(t *testing.T) { f(t, newTerminal(t, kept, nil)) })
	}
}

func (x *terminal) run(t testing.TB, ctx context.Context, args string) tool.Result {
	t.Helper()
	call, err := x.tools.Prepare("shell", args)
	if err != nil {
		return tool.Error(err.Error())
	}
	return tool.Run(ctx, tool.Env{Scratch: x.scratch, CallID: "c1"}, call)
}

func TestShell(t *testing.T) {
	both(t, func(t *testing.T, x *terminal) {
		x.write(t, "sub/a.txt", "hello\n")
		for _, c := range []struct{ args, want string }{
			{`{"command":"echo hello"}`, "hello"},
			{`{"command":"true"}`, "(no output)"},
			{`{"command":"pwd; cat a.txt","folder":"sub"}`, "DIR/sub\nhello"},
			{`{"command":"echo a; echo b >&2; echo c"}`, "a\nb\nc"},
			{`{"command":"echo a; exit 3"}`, "ERROR a\n[exit status 3]"},
			{`{"command":"kill -TERM $$"}`, "ERROR [It was ended by signal 15.]"},
			{`{"command":"test -t 1 && echo terminal; test -t 0 || echo no input"}`, "terminal\nno input"},
			{`{"command":"cat"}`, "(no output)"},
			{`{"command":"printf 'no newline'"}`, "no newline"},
			{`{"command":"printf '\\033[31mred\\033[0m \\033]0;title\\007x\\n10%%\\r50%%\\r100%%\\nab\\bc\\n'"}`, "red x\n100%\nac"},
			{`{"command":"if [[ a == a ]]; then echo bash; fi"}`, "bash"},
			{`{"command":"no-such-program"}`, ""},
			{`{"command":"echo x","folder":".."}`, "ERROR .. is outside"},
			{`{"command":"echo x","folder":"/"}`, "ERROR / is outside"},
			{`{"command":"echo x","folder":"nowhere"}`, "ERROR nowhere: no such file or folder"},
			{`{"command":"echo x","folder":"sub/a.txt"}`, "ERROR sub/a.txt is not a folder that a command can run in"},
			{`{"command":" "}`, "ERROR shell: the command is empty"},
			{`{"command":"x","timeout_seconds":601}`, "ERROR shell: timeout_seconds goes from 1 to 600; what takes longer runs with background"},
		} {
			res := x.run(t, t.Context(), c.args)
			got := strings.ReplaceAll(res.Content, x.dir, "DIR")
			if res.IsError {
				got = "ERROR " + got
			}
			if got != c.want && !(strings.HasSuffix(c.want, "is outside") && strings.HasPrefix(got, c.want)) && c.want != "" {
				t.Errorf("%s\n got: %q\nwant: %q", c.args, got, c.want)
			}
		}
		if list := x.tasks.List(); len(list) != 0 {
			t.Errorf("commands in the foreground are still listed: %+v", list)
		}
	})
}

func TestShellTimeLimit(t *testing.T) {
	x := newTerminal(t, true, nil)
	start := time.Now()
	res := x.run(t, t.Context(), `{"command":"echo before; sleep 1000","timeout_seconds":3}`)
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	if !res.IsError || !strings.HasPrefix(res.Content, "before\n[It was ended after 3s.") {
		t.Errorf("%+v", res)
	}
}

// sleepers finds the processes of a command by a number that they sleep.
func sleepers(t *testing.T, number string) (n int) {
	t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(procs) == 0 {
		t.Skip("processes cannot be looked at here")
	}
	for _, p := range procs {
		line, err := os.ReadFile(p)
		if err == nil && strings.HasPrefix(string(line), "sleep\x00"+number) {
			n++
		}
	}
	return n
}

// The processes of a command end with it, wherever they moved.
func TestStopEndsTheTree(t *testing.T) {
	both(t, func(t *testing.T, x *terminal) {
		number := fmt.Sprintf("%d.%d", 7000+os.Getpid()%1000, time.Now().UnixNano()%1000000)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan tool.Result, 1)
		// Children, one in another session, one without parents, one that ignores signals.
		command := fmt.Sprintf(`sleep %[1]s & setsid sleep %[1]s & (setsid sh -c 'sleep %[1]s & exit' &) ; (trap '' HUP TERM INT; sleep %[1]s) & sleep %[1]s`, number)
		go func() { done <- x.run(t, ctx, fmt.Sprintf(`{"command":%q}`, command)) }()
		for deadline := time.Now().Add(time.Minute); sleepers(t, number) < 5; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d of 5 processes are there", sleepers(t, number))
			}
		}
		cancel()
		res := <-done
		if !res.IsError || !strings.Contains(res.Content, "stopped") {
			t.Errorf("%+v", res)
		}
		if n := sleepers(t, number); n != 0 {
			t.Errorf("%d processes are left", n)
		}
	})
}

// A command that ends leaves no process behind, not even one that dropped its environment.
func TestNothingIsLeftBehind(t *testing.T) {
	x := newTerminal(t, true, nil)
	number := fmt.Sprintf("%d.%d", 8000+os.Getpid()%1000, time.Now().UnixNano()%1000000)
	res := x.run(t, t.Context(), fmt.Sprintf(`{"command":"env -i setsid nohup sleep %s >/dev/null 2>&1 & sleep 0.2; echo out"}`, number))
	if !strings.HasPrefix(res.Content, "out") {
		t.Errorf("%+v", res)
	}
	if n := sleepers(t, number); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

func TestStopInAFlood(t *testing.T) {
	both(t, func(t *testing.T, x *terminal) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
				list := x.tasks.List()
				if len(list) == 0 {
					continue
				}
				if out, err := x.tasks.Output(list[0].ID, 0, 0); err == nil && out.Raw != "" {
					time.AfterFunc(300*time.Millisecond, cancel) // until then it floods
					return
				}
			}
		}()
		res := x.run(t, ctx, `{"command":"yes 0123456789"}`)
		if !res.IsError || !strings.Contains(res.Content, "0123456789\n0123456789") || !strings.Contains(res.Content, "[It was stopped.]") {
			t.Errorf("%.300s", res.Content)
		}
		if len(res.Content) > 40<<10 {
			t.Errorf("%d bytes for the model", len(res.Content))
		}
	})
}

func TestLongOutputGoesToAFile(t *testing.T) {
	x := newTerminal(t, true, nil)
	res := x.run(t, t.Context(), `{"command":"seq 1 200000"}`)
	if res.IsError || !strings.HasPrefix(res.Content, "1\n2\n3\n") || !strings.HasSuffix(res.Content, "\n199999\n200000") {
		t.Fatalf("%.100s ... %s", res.Content, res.Content[max(0, len(res.Content)-100):])
	}
	_, rest, ok := strings.Cut(res.Content, "All of it is in ")
	file, _, _ := strings.Cut(rest, ":")
	if !ok || !strings.HasPrefix(file, x.scratch) {
		t.Fatalf("no file is named: %.200s", rest)
	}
	got, err := os.ReadFile(file)
	if want := numbers(200000); err != nil || string(got) != want {
		t.Errorf("the file holds %d bytes, want %d: %v", len(got), len(want), err)
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func TestBackground(t *testing.T) {
	var mu sync.Mutex
	var told []builtin.TaskChange
	x := newTerminal(t, true, func(c builtin.TaskChange) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, c)
	})
	res := x.run(t, t.Context(), `{"command":"echo one; while [ ! -e go ]; do sleep 0.05; done; printf '\\033[1mtwo\\033[0m\\n'; sleep 1000","background":true}`)
	const started = "[It runs in the background as t1. shell_output shows what it prints (from %d on), shell_kill ends it.]"
	switch {
	case !res.IsError && res.Content == "one\n"+fmt.Sprintf(started, 4):
	case !res.IsError && res.Content == fmt.Sprintf(started, 0): // a busy machine: nothing was printed in time
		x.says(t, "shell_output", `{"task":"t1","wait_seconds":20}`, "one\n[t1: It still runs. The next output begins at 4.]")
	default:
		t.Fatalf("%+v", res)
	}
	x.says(t, "shell_output", `{"task":"t1","from":4}`, "(nothing new)\n[t1: It still runs. The next output begins at 4.]")
	x.write(t, "go", "")
	x.says(t, "shell_output", `{"task":"t1","from":4,"wait_seconds":20}`, "two\n[t1: It still runs. The next output begins at 8.]")
	x.says(t, "shell_output", `{"task":"t1"}`, "one\ntwo\n[t1: It still runs. The next output begins at 8.]")
	x.says(t, "shell_output", `{"task":"t9"}`, "ERROR there is no task \"t9\"; yours are [t1]")
	out, err := x.tasks.Output("t1", 0, 0)
	if err != nil || out.Raw != "one\r\n\x1b[1mtwo\x1b[0m\r\n" || out.Ended {
		t.Errorf("as it came: %+v %v", out, err)
	}
	if more, err := x.tasks.Output("t1", out.Next, 0); err != nil || more.Raw != "" || more.Next != out.Next {
		t.Errorf("%+v %v", more, err)
	}
	if list := x.tasks.List(); len(list) != 1 || !list[0].Background || list[0].EndedMs != 0 || list[0].CallID != "" && list[0].CallID != "c1" || list[0].Notebook != "n1" {
		t.Errorf("%+v", list)
	}
	x.says(t, "shell_kill", `{"task":"t1"}`, "t1 was ended.")
	x.says(t, "shell_kill", `{"task":"t1"}`, "t1 had ended already. [It was stopped.]")
	x.says(t, "shell_output", `{"task":"t1","from":8}`, "(nothing new)\n[t1: It was stopped. The next output begins at 8.]")
	if err := x.tasks.Remove("t1"); err != nil || len(x.tasks.List()) != 0 {
		t.Errorf("%v %+v", err, x.tasks.List())
	}
	mu.Lock()
	defer mu.Unlock()
	first, last := told[0], told[len(told)-1]
	if first.Task.EndedMs != 0 || first.Removed || last.Task.EndedMs == 0 || !last.Removed {
		t.Errorf("reported %+v ... %+v", first, last)
	}
}

// One agent does not see the tasks of another.
func TestTasksBelongToTheirAgent(t *testing.T) {
	x := newTerminal(t, true, nil)
	x.run(t, t.Context(), `{"command":"sleep 1000","background":true}`)
	roots, err := files.New(x.dir, []string{x.dir})
	if err != nil {
		t.Fatal(err)
	}
	other := &world{dir: x.dir, tools: tool.NewRegistry(builtin.All(builtin.Options{Roots: roots, Shell: &builtin.Shell{Tasks: x.tasks, Owner: "n2"}})...)}
	other.says(t, "shell_kill", `{"task":"t1"}`, `ERROR there is no task "t1": you have none in the background`)
	x.tasks.KillAll("n2")
	if list := x.tasks.List(); list[0].EndedMs != 0 {
		t.Error("another agent's task was ended")
	}
	x.tasks.KillAll("n1")
	if list := x.tasks.List(); list[0].EndedMs == 0 {
		t.Error("it was not ended")
	}
}

func TestEnvironmentHoldsNoSecrets(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-1", "GITHUB_TOKEN": "x1", "AWS_SECRET_ACCESS_KEY": "x2", "my_password": "x3", "MY_OWN": "x4", "SOMEKEY": "x5", "SVC_URL": "https://u:x6@host/", "BASH_ENV": "/x7",
		"BASH_FUNC_git%%": "() { echo x8; }", "GIT_AUTHOR_NAME": "kept1", "MONITOR": "kept2", "STRIPE": "sk_live_x9abcdef", "SENTRY_URL": "https://x10abcdefabcdef0123@host/2", "MYAPP_CFG": `{"apiKey":"x11abcdef"}`, "PLAIN_URL": "https://kept3/a@b:c",
	} {
		t.Setenv(name, value)
	}
	x := newTerminal(t, true, nil)
	res := x.run(t, t.Context(), `{"command":"env"}`)
	for _, secret := range []string{"sk-1", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "OPENAI", "TOKEN"} {
		if strings.Contains(res.Content, secret) {
			t.Errorf("%s is there", secret)
		}
	}
	for _, want := range []string{"PATH=", "HOME=", "TERM=xterm-256color", "kept1", "kept2", "kept3", "GIT_TERMINAL_PROMPT=0", "TMPDIR=" + x.temp} {
		if !strings.Contains(res.Content, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

func TestCommandsAreConfined(t *testing.T) {
	status := builtin.SandboxStatus()
	if !status.Confined {
		t.Skip(status.How)
	}
	x := newTerminal(t, true, nil)
	outside := t.TempDir()
	if strings.HasPrefix(outside, "/dev/") {
		t.Skip("temporary files are where every command may write: " + outside)
	}
	if err := os.WriteFile(filepath.Join(outside, "there"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"echo x > OUT/new", "echo x > OUT/there", "rm OUT/there", "mkdir OUT/d", "mv OUT/there .", "ln OUT/there x", "touch OUT/there2", "sh -c 'echo x > OUT/new'", "truncate -s 0 OUT/there", "setsid -w sh -c 'echo x >> OUT/there'", "cat /proc/PID/environ", "kill -0 PID"} {
		c = strings.NewReplacer("OUT", outside, "PID", fmt.Sprint(os.Getpid())).Replace(c)
		if res := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, c)); !res.IsError {
			t.Errorf("%s: %+v", c, res)
		}
	}
	if b, err := os.ReadFile(filepath.Join(outside, "there")); err != nil || string(b) != "old" {
		t.Errorf("%q %v", b, err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
	for _, c := range []string{"echo x > new && cat new", "mkdir -p a/b && mv new a/b/ && rm -r a", "cat " + outside + "/there", "echo x > /dev/null", "mktemp", "echo x > $TMPDIR/y", "echo x > " + x.scratch + "/z"} {
		if res := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, c)); res.IsError {
			t.Errorf("%s: %+v", c, res)
		}
	}
}

// A fake repository that an agent wrote file by file, and the monitor of a real one, run nothing
// when a command looks at them.
func TestGitOfCommandsRunsNoMonitor(t *testing.T) {
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "somebody")
	x := newTerminal(t, true, nil)
	ran := filepath.Join(x.dir, "ran")
	for name, text := range map[string]string{
		"bare/HEAD": "ref: refs/heads/main\n", "bare/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = touch " + ran + "; false\n",
		"bare/objects/x": "", "bare/refs/x": "",
	} {
		x.write(t, name, text)
	}
	for _, c := range []struct{ command, says string }{
		{"cd bare && git status", "cannot use bare repository"},
		{"find bare -name config -execdir git status ';'", "cannot use bare repository"},
		{"git init -q real && cd real && git config core.fsmonitor 'touch " + ran + "; false' && touch a && git status --short", "?? a"},
		{"GIT_DIR=$PWD/bare git rev-parse --git-dir", "/bare"},
	} {
		if res := x.run(t, t.Context(), fmt.Sprintf(`{"command":%q}`, c.command)); !strings.Contains(res.Content, c.says) {
			t.Errorf("%s: %+v", c.command, res)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s: the monitor ran", c.command)
			os.Remove(ran)
		}
	}
}

func TestClosedTasksStartNothing(t *testing.T) {
	x := newTerminal(t, true, nil)
	x.run(t, t.Context(), `{"command":"sleep 1000","background":true}`)
	x.tasks.Close()
	if list := x.tasks.List(); len(list) != 1 || list[0].EndedMs == 0 {
		t.Errorf("%+v", list)
	}
	if res := x.run(t, t.Context(), `{"command":"echo x"}`); !res.IsError || res.Content != "the program is closing" {
		t.Errorf("%+v", res)
	}
}
