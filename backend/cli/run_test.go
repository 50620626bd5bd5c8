package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

// runs is the program running a prompt against a scripted model.
func runs(t *testing.T, file, script string, more ...string) (*exec.Cmd, *providertest.Server, *bytes.Buffer) {
	t.Helper()
	server := providertest.New(t, script)
	cmd := command(t, []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}, append([]string{"run", file, "--model", "m"}, more...)...)
	errs := &bytes.Buffer{}
	cmd.Stderr = errs
	return cmd, server, errs
}

// A reader that rests, as a pager does, is waited for: nothing is left out, and
// the run is not held up.
func TestASlowReaderGetsAll(t *testing.T) {
	file := write(t, t.TempDir(), "a.mtm", empty)
	cmd, _, errs := runs(t, file, "answer\n"+strings.Repeat("size 300000\n", 40)+"text end", "--prompt", "x")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the answer in the notebook", func() bool { return strings.Contains(read(t, file), `"outcome": "done"`) })
	b, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || len(b) != 40*300_000+4 || !bytes.HasSuffix(b, []byte("end\n")) {
		t.Errorf("read %d bytes; %v; %s", len(b), err, errs)
	}
}

func TestLongPromptsAndLongCalls(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "a.mtm", strings.Replace(empty, "/ws", dir, 1))
	cmd, _, errs := runs(t, file, "answer\ntool write_file {\"uri\":\"long.txt\",\"content\":\""+strings.Repeat("x", 5<<20)+"\"}\nanswer\ntext done", "--prompt", "-", "--approve", "all")
	cmd.Stdin = strings.NewReader(strings.Repeat("y", 12<<20))
	out, err := cmd.Output()
	if err != nil || string(out) != "done\n" {
		t.Errorf("%q, %v, %s", out, err, errs)
	}
	if got := read(t, filepath.Join(dir, "long.txt")); len(got) != 5<<20 {
		t.Errorf("%d bytes were written", len(got))
	}
}

// If a reader stops after the beginning, or the terminal is gone, the run ends, and prompt and
// answer are kept.
func TestARunWithoutAReader(t *testing.T) {
	for name, leave := range map[string]func(cmd *exec.Cmd, out io.Closer) error{
		"closed output": func(_ *exec.Cmd, out io.Closer) error { return out.Close() },
		"hang-up":       func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, t.TempDir(), "a.mtm", empty)
			cmd, server, errs := runs(t, file, "answer\ntext \"the first line\\n\"\nwait left\nwords 5ms "+strings.Repeat("more ", 50)+"\nstall", "--prompt", "asked")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "the first line\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if err := leave(cmd, out); err != nil {
				t.Fatal(err)
			}
			server.Let("left")
			cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != 1 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "what had arrived is saved") {
				t.Errorf("status %d, %s", status, errs)
			}
			if got := read(t, file); !strings.Contains(got, `"asked"`) || !strings.Contains(got, "the first line") || !strings.Contains(got, `"outcome": "stopped"`) {
				t.Errorf("the file: %s", got)
			}
		})
	}
}

// If two processes run one notebook, the second ends and names the holder; nothing of it is
// written.
func TestANotebookIsRunByOne(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "a.mtm", empty)
	first, server, _ := runs(t, file, "answer\ntext half\nwait on\ntext \", whole\"", "--prompt", "first")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the first on the disk", func() bool { return strings.Contains(read(t, file), "half") })
	_, errs, status := call(t, "", nil, "run", file, "--prompt", "second")
	if status != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "another program (process ") {
		t.Errorf("status %d, %s", status, errs)
	}
	server.Let("on")
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
	if got := read(t, file); strings.Contains(got, "second") || !strings.Contains(got, "half, whole") {
		t.Errorf("the file: %s", got)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.mtm")); len(files) != 1 {
		t.Errorf("there are %v", files)
	}
}

// If somebody changed a notebook during the run, that is a failure, and a message says where the
// answer is.
func TestARunWhoseNotebookWasChanged(t *testing.T) {
	file := write(t, t.TempDir(), "a.mtm", empty)
	cmd, server, errs := runs(t, file, "answer\ntext half\nwait on\ntext \", whole\"", "--prompt", "x")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "half of it on the disk", func() bool { return strings.Contains(read(t, file), "half") })
	write(t, filepath.Dir(file), "a.mtm", empty)
	server.Let("on")
	cmd.Wait()
	asides, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "a (*"))
	if len(asides) != 1 || !strings.Contains(read(t, asides[0]), "half, whole") {
		t.Fatalf("next to it: %v", asides)
	}
	if status := cmd.ProcessState.ExitCode(); status != 1 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), filepath.Base(asides[0])) {
		t.Errorf("status %d, %s", status, errs)
	}
}

// If two processes begin at the same moment, one runs, the other reports it, and no answer is
// silently lost.
func TestTwoRunsBeginAtOnce(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		file := write(t, dir, "a.mtm", empty)
		server := providertest.New(t, "answer always\ntext half\ndelay 300ms\ntext \", whole\"")
		var cmds [2]*exec.Cmd
		for i := range cmds {
			cmds[i] = command(t, []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k"}, "run", file, "--model", "m", "--prompt", "x")
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		failed := 0
		for _, cmd := range cmds {
			if cmd.Wait() != nil {
				failed++
			}
		}
		answers := strings.Count(read(t, file), "half, whole")
		if failed > 1 || answers != 2-failed {
			t.Errorf("%d ended with a failure, %d answers are in the file", failed, answers)
		}
	}
}

// A notebook that is renamed during `run` continues under its new name, and nothing is created
// under the old one. If it was moved out of reach its text is kept, and a message says so.
func TestARunWhoseNotebookWasRenamed(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		rename func(t *testing.T, file string) string // returns where the answer has to be
		status int
	}{
		"while it streams": {"answer\ntext half\nwait on\nwords 5ms " + strings.Repeat("more ", 300) + "\ntext \", whole\"", func(t *testing.T, file string) string {
			return moveTo(t, file, filepath.Join(filepath.Dir(file), "b.mtm"))
		}, 0},
		"into a folder": {"answer\ntext half\nwait on\ntext \", whole\"", func(t *testing.T, file string) string {
			return moveTo(t, file, filepath.Join(filepath.Dir(file), "sub", "b.mtm"))
		}, 0},
		"and written by another program": {"answer\ntext half\nwait on\ntext \", whole\"", func(t *testing.T, file string) string {
			to := moveTo(t, file, filepath.Join(filepath.Dir(file), "b.mtm"))
			write(t, filepath.Dir(to), "new", strings.Replace(read(t, to), `"asked"`, `"changed"`, 1))
			moveTo(t, filepath.Join(filepath.Dir(to), "new"), to)
			return filepath.Join(filepath.Dir(file), "b (*")
		}, 1},
		"beside a copy": {"answer\ntext half\nwait on\ntext \", whole\"", func(t *testing.T, file string) string {
			write(t, filepath.Dir(file), "copy.mtm", read(t, file))
			return moveTo(t, file, filepath.Join(filepath.Dir(file), "z.mtm"))
		}, 0},
		"out of the folder": {"answer\ntext half\nwait on\ntext \", whole\"", func(t *testing.T, file string) string {
			moveTo(t, file, filepath.Join(t.TempDir(), "b.mtm"))
			return filepath.Join(filepath.Dir(file), "a (*")
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, t.TempDir(), "a.mtm", empty)
			cmd, server, errs := runs(t, file, c.script, "--prompt", "asked")
			out := &bytes.Buffer{}
			cmd.Stdout = out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waittest.Until(t, "half of it on the disk", func() bool { return strings.Contains(read(t, file), "half") })
			want := c.rename(t, file)
			server.Let("on")
			cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != c.status || !strings.HasSuffix(out.String(), ", whole\n") {
				t.Errorf("status %d, %q, %s", status, out, errs)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("there is a file under the old name: %v", err)
			}
			found, _ := filepath.Glob(want)
			if len(found) != 1 || !strings.Contains(read(t, found[0]), ", whole") || !strings.Contains(errs.String(), strings.TrimSuffix(filepath.Base(found[0]), ".mtm")) {
				t.Errorf("found %v; printed %s", found, errs)
			}
			if beside, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "a (*")); c.status == 0 && len(beside) > 0 {
				t.Errorf("left: %v", beside)
			}
		})
	}
}

// moveTo renames a file and returns its new name.
func moveTo(t *testing.T, from, to string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(from, to)); err != nil {
		t.Fatal(err)
	}
	return to
}
