package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mutsumi/backend/fault"
)

// text returns the content of a folder's log.
func text(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range Files(dir) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

func TestAnEntryIsOneLineOfFields(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	l := Open(dir).With(Folder("/a folder"))
	l.Info("notebook saved", Notebook("a.mtm"), Count("bytes", 12))
	l.Debug("not written")
	l.Flush()
	got := text(t, dir)
	if !strings.HasPrefix(got, "time=") || !strings.HasSuffix(got, fmt.Sprintf(` level=INFO msg="notebook saved" pid=%d folder="/a folder" notebook=a.mtm bytes=12`+"\n", os.Getpid())) {
		t.Errorf("got %q", got)
	}
	if strings.Count(got, "\n") != 1 {
		t.Errorf("more than one entry: %s", got)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read it: %v, %v", info, err)
	}
}

// The message of a failure may quote a server, a key or a text of the person.
func TestAFailureIsWrittenWithoutItsMessage(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir)
	l.Error("run failed", fault.New(fault.Provider, "the server says: Incorrect key sk-SECRET").WithCode(fault.CodeKeyRejected))
	l.Error("save failed", fmt.Errorf("save SECRET: %w", &fs.PathError{Op: "write", Path: "SECRET", Err: syscall.ENOSPC}))
	l.Error("load failed", fmt.Errorf("SECRET: %w", fs.ErrNotExist))
	l.Error("other", errors.New("SECRET"))
	l.Info("word", Word("outcome", "sk-SECRET1"), Word("outcome", "done"))
	l.Flush()
	got := text(t, dir)
	if strings.Contains(got, "SECRET") {
		t.Errorf("it holds the secret: %s", got)
	}
	for _, want := range []string{"kind=provider code=keyRejected", syscall.ENOSPC.Error(), "file does not exist", "kind=internal", "outcome=other outcome=done"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing: %s", want, got)
		}
	}
}

// Several logs of one folder, like those of several processes, keep it below twice the limit of a
// file, and no entry is torn.
func TestTheLogIsRotated(t *testing.T) {
	dir := t.TempDir()
	const limit = 4 << 10
	var all sync.WaitGroup
	for range 3 {
		l := open(dir, limit)
		all.Go(func() {
			for i := range 300 {
				l.Info("entry", Count("number", i))
				if i%7 == 0 {
					l.Flush()
				}
			}
			l.Flush()
		})
	}
	all.Wait()
	var size int
	for _, line := range strings.SplitAfter(text(t, dir), "\n") {
		size += len(line)
		if line != "" && (!strings.HasPrefix(line, "time=") || !strings.HasSuffix(line, "\n")) {
			t.Fatalf("an entry is torn: %q", line)
		}
	}
	if files := Files(dir); len(files) != 2 || size < limit || size > 4*limit {
		t.Errorf("%d bytes in %v", size, files)
	}
}

func TestWhatIsAddedIsFollowedAcrossARotation(t *testing.T) {
	dir := t.TempDir()
	l := open(dir, 1<<10)
	l.Info("before")
	l.Flush()
	f := Follow(dir)
	var got strings.Builder
	for i := range 40 {
		l.Info("entry", Count("number", i))
		l.Flush()
		if _, err := f.WriteTo(&got); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(got.String(), "\n"); n != 41 || len(Files(dir)) != 2 {
		t.Errorf("%d entries: %s", n, got.String())
	}
}

// Where nothing can be written, nothing waits and nothing fails.
func TestALogThatCannotBeWrittenStopsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := Open(filepath.Join(file, "log"))
	l.Info("entry")
	l.Flush()
	var none *Log
	none.With(Folder("x")).Error("entry", errors.New("x"))
	none.Flush()
}
