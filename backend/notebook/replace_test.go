//go:build unix

package notebook

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// during does something while a snapshot is written.
type during struct {
	io.WriterTo
	do func()
}

func (d during) WriteTo(w io.Writer) (int64, error) {
	n, err := d.WriterTo.WriteTo(w)
	d.do()
	return n, err
}

func TestWhatComesDuringASaveStays(t *testing.T) {
	const foreign = `{"metadata":{"name":"foreign"},"context":[]}`
	for what, do := range map[string]func(path string) error{
		"in place": func(path string) error { return os.WriteFile(path, []byte(foreign), 0o644) },
		"renamed": func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte(foreign), 0o644), os.Rename(path+"~", path))
		},
		"a link in its place": func(path string) error {
			other := filepath.Join(filepath.Dir(path), "other.mtm")
			return errors.Join(os.WriteFile(other, []byte(foreign), 0o644), os.Remove(path), os.Symlink("other.mtm", path))
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.mtm")
			d := filled(t, 1)
			stamp, err := Save(path, d.Encoded(), Stamp{})
			must(t, err)
			_, err = Save(path, during{d.Encoded(), func() { must(t, do(path)) }}, stamp)
			if !fault.Is(err, fault.Conflict) || contents(t, path) != foreign {
				t.Errorf("%v, and the file holds %s", err, contents(t, path))
			}
			if left := leftovers(t, dir); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAFileThatIsDeletedDuringASaveIsNotMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtm")
	d := filled(t, 1)
	stamp, err := Save(path, d.Encoded(), Stamp{})
	must(t, err)
	_, err = Save(path, during{d.Encoded(), func() { must(t, os.Remove(path)) }}, stamp)
	if _, statErr := os.Stat(path); !fault.Is(err, fault.Conflict) || !errors.Is(statErr, fs.ErrNotExist) {
		t.Errorf("%v, %v", err, statErr)
	}
}

// Where two files cannot be exchanged, a link keeps the replaced file.
func TestReplaceWithoutExchange(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	d := filled(t, 1)
	stamp, err := Save(path, d.Encoded(), Stamp{})
	must(t, err)
	put := func(seen Stamp) error {
		info, err := os.Stat(path)
		must(t, err)
		temp, err := writeTemp(dir, d.Encoded(), info)
		must(t, err)
		defer temp.remove()
		return temp.replaceLinked(path, seen)
	}
	d.SetName("second")
	if err := put(stamp); err != nil || contents(t, path) != encoded(d) {
		t.Errorf("%v, %s", err, contents(t, path))
	}
	write(t, path, "somebody's")
	if err := put(stamp); !fault.Is(err, fault.Conflict) || contents(t, path) != "somebody's" {
		t.Errorf("%v, %s", err, contents(t, path))
	}
	if left := leftovers(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// Two foreign versions came one after the other while ours was being put in place: the newer one
// has the name, the older one is next to it.
func TestTwoForeignVersionsAreBothThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mtm")
	write(t, path, "before")
	info, err := os.Stat(path)
	must(t, err)
	temp, err := writeTemp(dir, filled(t, 1).Encoded(), info)
	must(t, err)
	defer temp.remove()
	must(t, os.Rename(temp.name, path)) // ours has the name for a moment
	write(t, path, "newer")             // over ours
	write(t, temp.name, "older")        // what ours replaced
	must(t, exchange(temp.name, path))  // and is put back
	if err := temp.putBack(path); !fault.Is(err, fault.Conflict) || contents(t, path) != "newer" {
		t.Errorf("%v, %q", err, contents(t, path))
	}
	beside, _ := filepath.Glob(filepath.Join(dir, "a (from disk *).mtm"))
	if len(beside) != 1 || contents(t, beside[0]) != "older" {
		t.Errorf("beside it is %v", beside)
	}
}

// A program that has opened the file and not written yet is waited for.
func TestAWriterThatBeginsLateIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtm")
	d := filled(t, 1)
	stamp, err := Save(path, d.Encoded(), Stamp{})
	must(t, err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	go func() {
		for { // until the save has given the open file another name
			if now, err := os.Stat(path); err == nil && inode(now) != stamp.inode {
				f.WriteString("late")
				return
			}
		}
	}()
	if !beingWritten(path) {
		t.Log("this kernel, or this disk, does not tell who writes") // then nothing can be waited for
		return
	}
	if _, err := Save(path, d.Encoded(), stamp); !fault.Is(err, fault.Conflict) || !strings.HasPrefix(contents(t, path), "late") {
		t.Errorf("%v, %.20q", err, contents(t, path))
	}
}

func TestTempsThatNobodyHoldsAreCleaned(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Minute)
	own := filepath.Join(dir, tempPrefix+strconv.Itoa(os.Getpid())+"-LEFT"+tempSuffix) // in a container each start has this number
	write(t, own, "")
	must(t, os.Chtimes(own, old, old))
	held, err := createTemp(dir)
	must(t, err)
	defer held.Close()
	must(t, os.Chtimes(held.Name(), old, old))
	_, err = Save(filepath.Join(dir, "a.mtm"), filled(t, 1).Encoded(), Stamp{})
	must(t, err)
	if got := leftovers(t, dir); len(got) != 1 || got[0] != filepath.Base(held.Name()) {
		t.Errorf("left: %v, want what is open: %s", got, filepath.Base(held.Name()))
	}
}

// A pipe in place of a notebook does not block.
func TestAPipeIsNoNotebook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtm")
	must(t, syscall.Mkfifo(path, 0o644))
	for what, do := range map[string]func() error{
		"load":   func() error { _, _, err := Load(path); return err },
		"text":   func() error { _, _, err := ReadText(path); return err },
		"repair": func() error { _, _, err := SaveRepaired(path, time.Now()); return err },
		"head": func() error {
			h, err := ReadSummary(path)
			if h.Problem != "" {
				return fault.New(fault.Invalid, "%s", h.Problem)
			}
			return err
		},
	} {
		done := make(chan error, 1)
		go func() { done <- do() }()
		select {
		case err := <-done:
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s waits for the pipe", what)
		}
	}
	if _, err := Save(path, filled(t, 1).Encoded(), Stamp{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("saved over the pipe: %v", err)
	}
}

func TestAFolderInThePlaceOfANotebook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtm")
	must(t, os.Mkdir(path, 0o755))
	if _, err := Save(path, filled(t, 1).Encoded(), Stamp{}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "folder") {
		t.Errorf("%v", err)
	}
}

// The longest name that a file can have leaves no room for a note.
func TestSaveAsideOfALongName(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 21, 10, 15, 59, 0, time.UTC)
	for _, stem := range []string{strings.Repeat("x", 251), strings.Repeat("ü", 125) + "x", strings.Repeat("記", 83) + "xx"} {
		path := filepath.Join(dir, stem+".mtm")
		write(t, path, "")
		for n := 1; n <= 2; n++ {
			aside, _, err := SaveAside(path, "conflict", at, strings.NewReader("kept"))
			if err != nil || !strings.HasSuffix(aside, ".mtm") || !strings.Contains(aside, "(conflict 2026-11-21 10.15)") || contents(t, aside) != "kept" {
				t.Errorf("%d of %s: %s, %v", n, stem, aside, err)
			}
			if base := filepath.Base(aside); len(base) > maxName || strings.ContainsRune(base, '\uFFFD') {
				t.Errorf("the name %q of %d bytes", base, len(base))
			}
		}
	}
}
