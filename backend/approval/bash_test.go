//go:build !windows

package approval

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lab runs commands in the real bash, in which git and every other program
// only write down that they were run.
type lab struct {
	bash, dir, bin, log string
}

func newLab(t *testing.T) *lab {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is not installed: what it would run cannot be compared")
	}
	l := &lab{bash: bash, dir: t.TempDir(), bin: t.TempDir()}
	l.log = filepath.Join(t.TempDir(), "log")
	for _, d := range []string{"src", ".git", "out"} {
		if err := os.Mkdir(filepath.Join(l.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	note := fmt.Sprintf("#!%s\nprintf '%%s %%s\\n' \"${0##*/}\" \"$1\" >> '%s'\n", bash, l.log)
	for _, name := range []string{"git", "rm", "evil", "x", "GIT", "logx"} {
		if err := os.WriteFile(filepath.Join(l.bin, name), []byte(note), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"timeout", "nice", "nohup", "env", "stdbuf", "setsid", "xargs", "bash"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(l.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(bash, filepath.Join(l.bin, "sh")); err != nil {
		t.Fatal(err)
	}
	return l
}

// run returns the programs that a command ran with their first arguments, and the files that it
// left in the folder.
func (l *lab) run(t *testing.T, command string) (ran []string, left []string) {
	t.Helper()
	os.Remove(l.log)
	cmd := exec.Command(l.bash, "-c", command)
	cmd.Dir = l.dir
	cmd.WaitDelay = time.Second
	cmd.Stdout = io.Discard // a pipe, so that background processes are waited for
	cmd.Env = []string{"PATH=" + l.bin, "HOME=" + l.dir,
		"BASH_FUNC_command_not_found_handle%%=() { printf 'unknown %s\\n' \"$1\" >> '" + l.log + "'; }"}
	timer := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Run() // its status does not matter
	if b, err := os.ReadFile(l.log); err == nil {
		ran = strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	filepath.Walk(l.dir, func(p string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && info.Name() != "nohup.out" {
			left = append(left, p)
		}
		return nil
	})
	return ran, left
}

// A command that a grant of git log allows runs git log in a real shell, and nothing else; it
// writes nothing.
func TestRealShellRunsOnlyWhatWasGranted(t *testing.T) {
	l := newLab(t)
	p, where := grants(t, "git log*")
	check := func(command string) {
		t.Helper()
		ran, left := l.run(t, command)
		for _, r := range ran {
			if r != "git log" && r != "git --no-pager" && r != "" {
				t.Errorf("%q was let through, and ran %q", command, r)
			}
		}
		if len(left) > 0 {
			t.Fatalf("%q was let through, and wrote %q", command, left)
		}
	}
	for _, c := range allowedByGitLog {
		check(c)
	}
	// Commands made of pieces that are hard to read.
	pieces := []string{
		"git", "log", "git log", "git log", "git log", " ", " ", " ", ";", "&&", "||", "|", "&", "\n", "(", ")", "{ ", "; }", "$(", ")", "`", "'", "\"", "\\", "#", "<<EOF\n", "\nEOF\n", "<<'E'\n", "\nE\n", "<<<",
		"rm", "rm x", "evil", "x", "=", "x=", "PATH=", "$x", "${x", "}", "$((", "))", "((", "[[ ", " ]]", "[ ", " ]", "!", "if ", "; then ", "; fi", "for i in ", "; do ", "; done", "while ", "case x in x) ", ";; esac",
		"{", "}", ",", "*", "?", "~", "-", "--", ">", ">>", "<", ">&", "2>&1", "/dev/null", "<(", "eval ", "exec ", "command ", "time ", "env ", "timeout 5 ", "nohup ", "sh -c ", "bash -c ", "xargs ", "function ", "() {", "coproc ", "$'", "\\'", "\\\n", "\t", "1", "0", "@", "%", ":", "a", "true", "false", "echo ", "set -e", "cd src", "export ", "'git log'", "\"git log\"", "$(git log)", "'rm x'", "\"rm x\"",
	}
	random := rand.New(rand.NewPCG(1, 2))
	allowed := 0
	for n := 0; n < 60000 && allowed < 150; n++ {
		var b strings.Builder
		if random.IntN(2) == 0 {
			b.WriteString("git log ")
		}
		for range 2 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		c := b.String()
		if v := Simulate(p, "", c, "", where); v.Outcome == Allow {
			allowed++
			check(c)
		}
	}
	if allowed < 50 {
		t.Errorf("only %d commands were let through: the test proves little", allowed)
	}
}
