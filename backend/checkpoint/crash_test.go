//go:build unix

package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// This test needs a process that is killed: the test binary, started again
// with childEnv naming its folders.
const (
	childEnv = "MUTSUMI_CHECKPOINT_CHILD"
	soakEnv  = "MUTSUMI_SOAK" // rounds of TestKill
)

func TestMain(m *testing.M) {
	if dirs := os.Getenv(childEnv); dirs != "" {
		cache, dir, _ := strings.Cut(dirs, "|")
		fmt.Println(work(cache, dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// work is an agent that keeps changing files, and a person who restores them now and then.
func work(cache, dir string) error {
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano())))
	s, err := Open(cache, Limits{}, nil)
	if err != nil {
		return err
	}
	var cells []string
	for i := 0; ; i++ {
		cells = append(cells, fmt.Sprint(os.Getpid(), "-", i))
		turn, err := s.Begin("nb", cells[i])
		if err != nil {
			return err
		}
		if i == 0 {
			fmt.Println("begun")
		}
		for range 1 + r.IntN(6) {
			p := filepath.Join(dir, fmt.Sprint("f", r.IntN(12)))
			if err := errors.Join(turn.Before(p), tool(r, p), turn.After(p)); err != nil {
				return err
			}
		}
		if err := turn.End(); err != nil {
			return err
		}
		if r.IntN(3) == 0 {
			p, err := s.Plan("nb", cells[r.IntN(len(cells))])
			if err != nil {
				return err
			}
			for _, f := range p.Files {
				if f.Conflict { // nobody else is here
					return fmt.Errorf("%+v", f)
				}
			}
			a, err := s.Apply(p, nil)
			if err == nil && len(a.Left) > 0 {
				err = errors.New(a.Left[0].Why)
			}
			if err == nil && a.ID != "" && r.IntN(2) == 0 {
				if p, err = s.PlanUndo(a.ID); err == nil {
					_, err = s.Apply(p, nil)
				}
			}
			if err != nil {
				return err
			}
		}
		if r.IntN(10) == 0 {
			if _, err := s.Sweep(); err != nil {
				return err
			}
		}
	}
}

// tool changes a file as a tool does: whole or not at all.
func tool(r *rand.Rand, path string) error {
	if r.IntN(4) == 0 {
		return ignoreGone(os.Remove(path))
	}
	temp := filepath.Join(filepath.Dir(path), "tool", "temp")
	err := os.WriteFile(temp, []byte(whole(r.Uint64())), []fs.FileMode{0o644, 0o600}[r.IntN(2)])
	return errors.Join(err, os.Rename(temp, path))
}

// whole is a content that shows if a part of it is missing.
func whole(n uint64) string { return fmt.Sprintf("%d\n%s%d\n", n, strings.Repeat("text\n", 3000), n) }

// A process that is killed at any moment leaves files that are whole, and a
// store that leads back to the beginning.
func TestKill(t *testing.T) {
	rounds := 12
	if n, err := strconv.Atoi(os.Getenv(soakEnv)); err == nil {
		rounds = n
	}
	content := regexp.MustCompile(`^\d+ (\d+)\n(text\n){1000}(text\n){1000}(text\n){1000}(\d+)\n$`)
	w := newWorld(t)
	for i := range 8 {
		w.write(fmt.Sprint("f", i), whole(uint64(i)))
	}
	w.ok(os.Chmod(w.path("f0"), 0o755))
	w.ok(os.Mkdir(w.path("tool"), 0o755))
	start := w.tree()
	w.turn("nb", "first")
	began := 0
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+w.cache+"|"+w.dir)
		stdout, err := cmd.StdoutPipe()
		w.ok(err)
		w.ok(cmd.Start())
		said := bufio.NewReader(stdout)
		if round%4 < 3 { // in the other rounds it may be killed while it starts
			if line, err := said.ReadString('\n'); line != "begun\n" {
				t.Fatalf("round %d: %q, %v", round, line, err)
			}
			began++
		}
		time.Sleep(time.Duration(rand.IntN(250)) * time.Millisecond)
		_ = cmd.Process.Kill()
		last, _ := io.ReadAll(said)
		_ = cmd.Wait()
		if cmd.ProcessState.Exited() {
			t.Fatalf("round %d: it ended on its own: %s", round, last)
		}
		_ = os.Remove(w.path("tool/temp"))
		w.at = time.Now()
		w.restart()
		for name, text := range w.tree() {
			if m := content.FindStringSubmatch(text); name != "tool" && (m == nil || m[1] != m[5]) {
				t.Fatalf("round %d: %s is %.100q", round, name, text)
			}
		}
		for _, turn := range w.s.inOrder() {
			for _, c := range turn.changes {
				if c.before.Sum == "" {
					continue
				}
				if _, err := w.s.objects.get(c.before.Sum, c.before.Size); err != nil {
					t.Fatalf("round %d: turn %s names missing content: %v", round, turn.id, err)
				}
			}
		}
		p, uncertain, all := w.plan("nb", "first"), 0, map[string]Choice{}
		for _, f := range p.Files {
			all[f.Path] = Take
			if f.Conflict {
				uncertain++
			}
		}
		if uncertain > 1 { // the one file that was being changed
			t.Fatalf("round %d: %s", round, w.said(p))
		}
		if round%3 > 0 && round < rounds-1 {
			// The next process continues from here, like a person who restores nothing.
			if uncertain == 0 {
				continue
			}
		}
		a := w.apply(p, all)
		w.same(fmt.Sprint("round ", round), w.tree(), start)
		if len(a.Left) > 0 || t.Failed() {
			t.Fatalf("round %d: %+v", round, a.Left)
		}
	}
	infos, err := w.s.Turns("nb")
	w.ok(err)
	if len(infos) < began {
		t.Errorf("%d turns after %d rounds that began one", len(infos), began)
	}
	t.Logf("%d turns in %d rounds", len(infos), rounds)
}
