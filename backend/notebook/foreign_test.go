//go:build unix

package notebook

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

const (
	howEnv = "MUTSUMI_NOTEBOOK_HOW"
	// foreignEnv is the number of rounds of each part of TestAnotherProcessWrites.
	foreignEnv = "MUTSUMI_FOREIGN"
	// foreignSize is how long the version of the other process is.
	foreignSize = 4 << 20
)

// foreignText is version n of the other process, whole only if it ends as it
// begins.
func foreignText(n int) []byte {
	begin, end := fmt.Sprintf(`{"metadata":{"name":"foreign %d."},"context":[{"role":"user","content":"`, n), fmt.Sprintf(`end of %d."}]}`, n)
	return []byte(begin + strings.Repeat("x", foreignSize) + end)
}

// writeForeign is the other process: for each line that it reads it writes the next version, a
// moment later, and reports that.
func writeForeign(path, how string) error {
	lines := bufio.NewScanner(os.Stdin)
	for n := 1; lines.Scan(); n++ {
		text := foreignText(n)
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		var err error
		if how == "rename" {
			if err = os.WriteFile(path+"~", text, 0o644); err == nil {
				err = os.Rename(path+"~", path)
			}
		} else {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			return err
		}
		fmt.Println("written", n)
	}
	return nil
}

// holds reports whether version n of the other process is in the folder, whole.
func holds(t *testing.T, dir string, n int) bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.mtm"))
	must(t, err)
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && bytes.Equal(b, foreignText(n)) {
			return true
		}
	}
	return false
}

// Another process writes a notebook at any moment of a slow save: each of its versions is in the
// file or next to it, and the save that would have replaced it is refused.
func TestAnotherProcessWrites(t *testing.T) {
	rounds := 12
	if n, err := strconv.Atoi(os.Getenv(foreignEnv)); err == nil {
		rounds = n
	}
	for _, size := range []int{20, 10} {
		for _, how := range []string{"in place", "rename"} {
			t.Run(fmt.Sprint(size, " MB ", how), func(t *testing.T) { beside(t, size<<20, how, rounds) })
		}
	}
}

func beside(t *testing.T, size int, how string, rounds int) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	d, err := Parse(workload(size))
	must(t, err)
	stamp, err := Save(path, d.Encoded(), Stamp{})
	must(t, err)
	cmd := child("foreign", path)
	cmd.Env = append(cmd.Env, howEnv+"="+how)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { end(cmd) })
	wrote := make(chan string)
	go func() {
		defer close(wrote)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			wrote <- lines.Text()
		}
	}()
	saves, refused, lost := 0, 0, 0
	for n := 1; n <= rounds; n++ {
		fmt.Fprintln(in)
		done, after := false, 0
		for after < 2 {
			select {
			case text := <-wrote:
				if text != fmt.Sprint("written ", n) {
					t.Fatalf("the other process said %q", text)
				}
				done = true
			default:
			}
			if done {
				after++
			}
			saves++
			d.SetName(fmt.Sprint("saved ", saves))
			next, err := Save(path, d.Encoded(), stamp)
			if err == nil {
				stamp = next
				continue
			}
			if !fault.Is(err, fault.Conflict) {
				t.Fatal(err)
			}
			refused++
			if !done {
				if text := <-wrote; text != fmt.Sprint("written ", n) {
					t.Fatalf("the other process said %q", text)
				}
				done = true
			}
			if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, foreignText(n)) {
				t.Errorf("version %d is not in its place: %v", n, err)
			}
			if !holds(t, dir, n) {
				lost++
			}
			_, stamp, err = Load(path)
			must(t, err) // its version is whole by now
			after = 3
		}
		if after == 2 && !holds(t, dir, n) {
			lost++
		}
	}
	t.Logf("%d versions of another process, %d saves, %d refused: %d lost", rounds, saves, refused, lost)
	if lost > 0 {
		t.Errorf("%d of %d versions that another process wrote are nowhere", lost, rounds)
	}
	for _, name := range leftovers(t, dir) {
		t.Errorf("left behind: %s", name)
	}
}

func end(cmd *exec.Cmd) {
	cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
}
