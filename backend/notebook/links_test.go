//go:build unix

package notebook

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// linked writes a notebook that has two names.
func linked(t *testing.T) (a, b string, d *Document, stamp Stamp) {
	t.Helper()
	dir := t.TempDir()
	a, b = filepath.Join(dir, "a.mtm"), filepath.Join(dir, "b.mtm")
	d = filled(t, 2)
	stamp, err := Save(a, d.Encoded(), Stamp{})
	must(t, err)
	must(t, os.Link(a, b))
	return a, b, d, stamp
}

func TestASaveKeepsBothNames(t *testing.T) {
	a, b, d, stamp := linked(t)
	for i := range 3 {
		d.SetName(fmt.Sprint("version ", i))
		var err error
		stamp, err = SaveLinked(a, []string{b}, d.Encoded(), stamp)
		must(t, err)
		if contents(t, b) != encoded(d) {
			t.Fatalf("save %d: the other name has %s", i, contents(t, b))
		}
	}
	one, err := os.Stat(a)
	must(t, err)
	two, err := os.Stat(b)
	must(t, err)
	if !os.SameFile(one, two) {
		t.Error("they are two files")
	}
	if left := leftovers(t, filepath.Dir(a)); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A file that another program puts in place of one name is a different file.
func TestWhatComesToAnotherNameStays(t *testing.T) {
	a, b, d, stamp := linked(t)
	d.SetName("second")
	_, err := SaveLinked(a, []string{b}, during{d.Encoded(), func() {
		write(t, b+"~", "foreign")
		must(t, os.Rename(b+"~", b))
	}}, stamp)
	if err != nil || contents(t, b) != "foreign" || contents(t, a) != encoded(d) {
		t.Errorf("%v, %s", err, contents(t, b))
	}
}

// A text written through the other name is in the file itself.
func TestWhatIsWrittenThroughAnotherNameIsAConflict(t *testing.T) {
	a, b, d, stamp := linked(t)
	_, err := SaveLinked(a, []string{b}, during{d.Encoded(), func() { write(t, b, "foreign") }}, stamp)
	if !fault.Is(err, fault.Conflict) || contents(t, a) != "foreign" || contents(t, b) != "foreign" {
		t.Errorf("%v, %s, %s", err, contents(t, a), contents(t, b))
	}
}

// A process that saves a file with two names is killed: each name has a whole version, and the
// first one everything that was reported as saved.
func TestKillDuringALinkedSave(t *testing.T) {
	for round := range 20 {
		a, b, d, stamp := linked(t)
		_, err := d.Apply([]Edit{{Kind: EditInsert, Text: "stream"}})
		must(t, err)
		_, err = SaveLinked(a, []string{b}, d.Encoded(), stamp)
		must(t, err)
		cmd := child("links", a)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines, saved := bufio.NewScanner(out), 0
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), "saved ") {
			cmd.Process.Kill()
			t.Fatalf("%q", lines.Text())
		}
		reported := make(chan string, 1)
		go func() {
			text := lines.Text()
			for lines.Scan() {
				text = lines.Text()
			}
			reported <- text
		}()
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // any moment
		must(t, cmd.Process.Kill())
		_, err = fmt.Sscanf(<-reported, "saved %d", &saved)
		must(t, err)
		_ = cmd.Wait() // it was killed
		for name, least := range map[string]int{a: saved, b: saved} {
			now, _, err := Load(name)
			must(t, err)
			if n := last(now); n < least || n > saved+1 {
				t.Errorf("round %d: %d was saved, %s holds %d", round, saved, filepath.Base(name), n)
			}
		}
	}
}
