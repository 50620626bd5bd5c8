//go:build unix

package notebook

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// The tests here need a process of their own: one that is killed, or one that may not write. It is
// this test binary, started again with childEnv.
const (
	childEnv = "MUTSUMI_NOTEBOOK_CHILD"
	pathEnv  = "MUTSUMI_NOTEBOOK_PATH"
	// soakEnv is the number of rounds of TestKillDuringSave; `make soak` sets 1000.
	soakEnv = "MUTSUMI_SOAK"
)

func TestMain(m *testing.M) {
	path := os.Getenv(pathEnv)
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "stream":
		fmt.Println("error", streamInto(path))
	case "links":
		fmt.Println("error", streamInto(path, filepath.Join(filepath.Dir(path), "b.mtm")))
	case "limited":
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println("error", err)
			return
		}
		saveOnce(path)
	case "save":
		saveOnce(path)
	case "foreign":
		fmt.Println("error", writeForeign(path, os.Getenv(howEnv)))
	}
}

// child starts this binary again.
func child(what, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, pathEnv+"="+path)
	return cmd
}

// saveOnce changes a notebook and reports how saving it went.
func saveOnce(path string) {
	d, stamp, err := Load(path)
	if err == nil {
		d.SetName("changed")
		_, err = Save(path, d.Encoded(), stamp)
	}
	f := fault.Of(err)
	if f == nil {
		f = &fault.Error{Kind: "saved"}
	}
	fmt.Printf("%s|%s", f.Kind, f.Message)
}

// streamInto writes a growing answer, saving all the time, and after each save prints what the disk
// must hold from then on.
func streamInto(path string, others ...string) error {
	d, stamp, err := Load(path)
	if err != nil {
		return err
	}
	id := d.cells.list[len(d.cells.list)-1].id
	if _, err := d.ContinueRun(id, RunInfo{}); err != nil {
		return err
	}
	for n := last(d) + 1; ; n++ {
		start := time.Now().UnixMilli()
		if err := d.PutMessage(id, 0, says(fmt.Sprint(n, " ", start))); err != nil {
			return err
		}
		if stamp, err = SaveLinked(path, others, d.Encoded(), stamp); err != nil {
			return err
		}
		fmt.Println("saved", n, start, time.Now().UnixMilli())
	}
}

// last returns the number of the last piece that streamInto wrote.
func last(d *Document) int {
	n, _ := pieceOf(d)
	return n
}

func pieceOf(d *Document) (n int, atMs int64) {
	c := d.cells.list[len(d.cells.list)-1]
	if len(c.answer) > 0 {
		fmt.Sscan(c.answer[0].decode().Content.String(), &n, &atMs)
	}
	return n, atMs
}

// A process that saves a notebook of 5 MB all the time is killed at any moment: the file is valid,
// holds everything that was reported as saved, and is at most one second old, plus the time that a
// stalled disk takes for the last save and the current one.
func TestKillDuringSave(t *testing.T) {
	rounds := 15
	if n, err := strconv.Atoi(os.Getenv(soakEnv)); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	d, err := Parse(workload(5 << 20))
	must(t, err)
	_, err = d.Apply([]Edit{{Kind: EditInsert, Text: "stream"}})
	must(t, err)
	_, err = Save(path, d.Encoded(), Stamp{})
	must(t, err)
	messages := strings.Count(encoded(d), `"role": `)

	saves, inFlight, late, oldest := 0, 0, 0, int64(0)
	for round := range rounds {
		cmd := child("stream", path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "saved ") {
			cmd.Process.Kill()
			t.Fatalf("round %d: %q %v", round, lines.Text(), lines.Err())
		}
		reported := lines.Text()
		rest := make(chan string, 1)
		go func() {
			text := reported
			for lines.Scan() {
				text = lines.Text()
			}
			rest <- text
		}()
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		killed := time.Now().UnixMilli()
		must(t, cmd.Process.Kill())
		reported = <-rest
		_ = cmd.Wait() // it was killed
		var saved int
		var start, end int64
		if _, err := fmt.Sscanf(reported, "saved %d %d %d", &saved, &start, &end); err != nil {
			t.Fatalf("round %d: %q", round, reported)
		}

		d, _, err := Load(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		n, atMs := pieceOf(d)
		if n < saved || n > saved+1 {
			t.Fatalf("round %d: %d was saved, the file holds %d", round, saved, n)
		}
		age, disk := killed-atMs, end-start+max(0, killed-end)
		if age > 1000 {
			late++
			if age > 1000+disk {
				t.Fatalf("round %d: the file is %d ms old, and the disk took %d ms", round, age, disk)
			}
		}
		if got := strings.Count(contents(t, path), `"role": `); got != messages+1 {
			t.Fatalf("round %d: %d messages, want %d", round, got, messages+1)
		}
		if info := d.View(0, 1).Cells[d.Len()-1].Body.Run; info.Outcome != Interrupted {
			t.Fatalf("round %d: outcome %s", round, info.Outcome)
		}
		saves, oldest = n, max(oldest, age)
		inFlight += len(leftovers(t, dir))
	}
	if rounds >= 1000 {
		left := leftovers(t, dir)
		t.Logf("%d rounds, %d saves, oldest file %d ms, %d over a second because the disk stalled, %d temporary files left", rounds, saves, oldest, late, len(left))
		if len(left) > rounds/2 {
			t.Errorf("what dead processes left is not cleaned: %d files", len(left))
		}
	}
	if inFlight == 0 {
		t.Error("no round killed a save under way")
	}
}

// ask runs a child and returns the kind and message that it prints.
func ask(t *testing.T, cmd *exec.Cmd) (kind, message string) {
	t.Helper()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	must(t, err)
	kind, message, _ = strings.Cut(string(out), "|")
	return kind, message
}

// refused checks that a save failed for a reason, and lost nothing.
func refused(t *testing.T, path, before, kind, message, wantKind, wantMessage string) {
	t.Helper()
	if kind != wantKind || !strings.Contains(message, wantMessage) || !strings.Contains(message, filepath.Base(path)) {
		t.Errorf("it says %s %q, want %s %q", kind, message, wantKind, wantMessage)
	}
	if got := contents(t, path); got != before {
		t.Errorf("the file changed: %d bytes, %d before", len(got), len(before))
	}
	if left := leftovers(t, filepath.Dir(path)); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestSaveBeyondTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtm")
	write(t, path, string(workload(128<<10)))
	before := contents(t, path)
	kind, message := ask(t, child("limited", path))
	refused(t, path, before, kind, message, "internal", "larger than the system allows")
}

func TestSaveInAReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	write(t, path, string(workload(10<<10)))
	before := contents(t, path)
	must(t, os.Chmod(path, 0o666))
	must(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	cmd := child("save", path)
	if os.Getuid() == 0 { // whom nothing is forbidden
		must(t, os.Chmod(filepath.Dir(dir), 0o755))
		cmd.Path = openBinary(t, filepath.Dir(dir))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	kind, message := ask(t, cmd)
	refused(t, path, before, kind, message, "denied", "does not allow it")
}

// openBinary copies the test binary to where another user may run it.
func openBinary(t *testing.T, dir string) string {
	t.Helper()
	in, err := os.Open(os.Args[0])
	must(t, err)
	defer in.Close()
	path := filepath.Join(dir, "child")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(out, in)
	must(t, err)
	must(t, out.Close())
	return path
}
