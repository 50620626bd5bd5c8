//go:build !windows

package approval

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// marked is a word that only ever is where the policy takes it for data.
// It is also a program on the path of the shells: it must never run.
const marked = "EVIL"

// realShells runs commands in real shells and reports what they ran.
type realShells struct {
	dir, bin string // where commands run; their whole PATH
	log      string // what ran, with its arguments
}

func newRealShells(t *testing.T) *realShells {
	s := &realShells{dir: t.TempDir(), bin: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	note := "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" '<end>' >> '" + s.log + "'\n"
	for name, script := range map[string]string{"a": note + "exit 0", "b": note + "exit 1", marked: note, "time": "#!/bin/sh\nexec \"$@\""} {
		if err := os.WriteFile(filepath.Join(s.bin, name), []byte(script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "dash", "sh", "env", "xargs", "timeout", "nice", "nohup", "cat", "echo", "true", "false", "test", "["} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(s.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// run returns the programs that a shell ran with their arguments, and its messages about commands
// that it did not find.
func (s *realShells) run(t *testing.T, shell, command string) (ran [][]string, missing string) {
	t.Helper()
	os.Remove(s.log)
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second) // a loop may have no end
	defer stop()
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + s.bin, "HOME=" + s.dir, "LC_ALL=C"}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	_ = cmd.Run() // its status does not matter
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // processes left in the background
	}
	data, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	argv := []string{}
	for _, x := range strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00") {
		if x == "<end>" {
			ran, argv = append(ran, argv), []string{}
			continue
		}
		argv = append(argv, x)
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "not found") {
			missing = strings.TrimSpace(line)
		}
	}
	return ran, missing
}

// check compares what a shell runs with what the policy read.
func (s *realShells) check(t *testing.T, shell, command string, where Call) {
	t.Helper()
	where.Shell = filepath.Base(shell)
	where.Arguments = `{"command":` + jsonText(command) + `}`
	read := subjectOf(where).command
	ran, missing := s.run(t, shell, command)
	if missing != "" {
		t.Errorf("%s was let through %q, and looked for a command: %s", shell, command, missing)
	}
	for _, argv := range ran {
		if argv[0] == marked || !slices.ContainsFunc(read.parts, func(p *part) bool { return p.kind == KindProgram && p.program == argv[0] && couldBe(p.args, argv[1:]) }) {
			t.Errorf("%s was let through %q, and ran %q, which none of its parts names", shell, command, argv)
		}
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 1 {
		t.Fatalf("%s was let through %q, and wrote %v (%v)", shell, command, left, err)
	}
}

// couldBe reports whether words can have become those arguments.
func couldBe(words []word, args []string) bool {
	if len(words) == 0 {
		return len(args) == 0
	}
	w := words[0]
	switch {
	case w.literal:
		return len(args) > 0 && args[0] == w.text && couldBe(words[1:], args[1:])
	case !w.many:
		return len(args) > 0 && strings.HasPrefix(args[0], w.prefix) && couldBe(words[1:], args[1:])
	}
	return couldBe(words[1:], args) || len(args) > 0 && couldBe(words, args[1:])
}

// The amount of comparison with real shells: `make test` sets a number of commands, the same on a
// slow machine, and `make soak` a time; by default it is short.
func shellsWork(t *testing.T) (commands int, d time.Duration) {
	switch text := os.Getenv("MUTSUMI_SHELLS"); {
	case text != "":
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n, 0
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("MUTSUMI_SHELLS: %v", err)
		}
		return 0, d
	case os.Getenv("CI") != "":
		return 0, time.Minute
	}
	return 0, 4 * time.Second
}

// Allowed commands run in real shells as they were read: no word that was read as data runs, and
// every program gets the arguments that the person was shown.
func TestShellsRunWhatWasRead(t *testing.T) {
	long := os.Getenv("MUTSUMI_SHELLS") != "" || os.Getenv("CI") != ""
	var found []string
	for _, name := range []string{"bash", "dash"} {
		path, err := exec.LookPath(name)
		switch {
		case err == nil:
			found = append(found, path)
		case name == "bash" || long:
			t.Fatalf("%s is not installed: what it would run cannot be compared", name)
		default:
			t.Logf("NOT COMPARED WITH %s: it is not installed here", name)
		}
	}
	p, where := grants(t, "a *", "b *")
	commands, d := shellsWork(t)
	until := time.Now().Add(d)
	var fixed []string
	for _, c := range shellSeeds {
		fixed = append(fixed, c, "sh -c "+single(c), "bash -c "+single(c), "dash -c "+single(c))
	}
	var mu sync.Mutex
	tried, compared := 0, map[string]int{}
	next := func(r *rand.Rand) string {
		mu.Lock()
		defer mu.Unlock()
		if len(fixed) > 0 {
			c := fixed[0]
			fixed = fixed[1:]
			tried++
			return c
		}
		if tried >= commands && !time.Now().Before(until) {
			return ""
		}
		tried++
		return generated(r)
	}
	var workers sync.WaitGroup
	for range 2 {
		workers.Add(1)
		s, r := newRealShells(t), rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
		if err := os.Mkdir(filepath.Join(s.dir, "src"), 0o755); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer workers.Done()
			for !t.Failed() {
				c := next(r)
				if c == "" {
					return
				}
				for _, shell := range found {
					there := where
					there.Shell = filepath.Base(shell)
					if Simulate(p, "", c, "", there).Outcome != Allow {
						continue
					}
					s.check(t, shell, c, there)
					mu.Lock()
					compared[there.Shell]++
					mu.Unlock()
				}
			}
		}()
	}
	workers.Wait()
	t.Logf("%d commands, compared: %v", tried, compared)
	for _, shell := range found {
		if compared[filepath.Base(shell)] < 100 {
			t.Errorf("only %d commands were compared with %s: the test proves little", compared[filepath.Base(shell)], shell)
		}
	}
}

// single puts a text into single quotes.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
