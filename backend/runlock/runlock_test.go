package runlock

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const holderVariable = "MUTSUMI_TEST_HOLDS"

// TestMain lets the test's own program be another process that holds a lock.
func TestMain(m *testing.M) {
	if dir := os.Getenv(holderVariable); dir != "" {
		if _, _, err := (Store{dir}).Take("/folder/a.mtm", "uuid"); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		bufio.NewReader(os.Stdin).ReadByte() // until the pipe is closed
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// holder starts another process that holds the lock.
func holder(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderVariable+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd
}

func TestALockNamesItsHolder(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "locks")}
	if h := s.Holder("/folder/a.mtm", "uuid"); h != nil {
		t.Fatalf("nobody took it, and %+v holds it", h)
	}
	before := time.Now().UnixMilli()
	other := holder(t, s.Dir)
	h := s.Holder("/folder/a.mtm", "uuid")
	host, _ := os.Hostname()
	if h == nil || h.Process.Number != other.Process.Pid || h.Process.Host != host || h.SinceMs < before || h.SinceMs > time.Now().UnixMilli() {
		t.Fatalf("the holder is %+v", h)
	}
	_, _, err := s.Take("/folder/a.mtm", "uuid")
	if held, ok := errors.AsType[*HeldError](err); !ok || held.Holder != *h {
		t.Errorf("got %v", err)
	}
	for name, free := range map[string][2]string{"another notebook": {"/folder/a.mtm", "other"}, "the copy in another folder": {"/copy/a.mtm", "uuid"}} {
		l, left, err := s.Take(free[0], free[1])
		if err != nil || left != nil {
			t.Fatalf("%s: %v, %v", name, left, err)
		}
		l.Release()
	}
	if _, _, err := s.Take("/folder/renamed.mtm", "uuid"); err == nil {
		t.Error("the renamed notebook is not locked")
	}
}

func TestALockSurvivesACrashAndIsTakenOver(t *testing.T) {
	s := Store{t.TempDir()}
	other := holder(t, s.Dir)
	other.Process.Kill() // SIGKILL: it lets nothing go
	other.Wait()
	if files, _ := os.ReadDir(s.Dir); len(files) != 1 {
		t.Fatalf("the lock did not survive: %v", files)
	}
	l, left, err := s.Take("/folder/a.mtm", "uuid")
	if err != nil || left == nil || left.Process.Number != other.Process.Pid {
		t.Fatalf("left by %+v, %v", left, err)
	}
	if _, _, err := s.Take("/folder/a.mtm", "uuid"); err == nil {
		t.Error("taken twice")
	}
	takeWhileReleased(t, s, l).Release()
	if files, _ := os.ReadDir(s.Dir); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
	if l, left, err = s.Take("/folder/a.mtm", "uuid"); err != nil || left != nil {
		t.Fatalf("after it was released: %v, %v", left, err)
	}
	l.Release()
}

// takeWhileReleased takes a lock that this process holds and is about to release: an earlier run ends
// while the next one begins. On a slow machine it may take longer than Take waits.
func takeWhileReleased(t *testing.T, s Store, held *Lock) *Lock {
	t.Helper()
	for tries := 1; ; tries++ {
		began, released := time.Now(), make(chan struct{})
		time.AfterFunc(50*time.Millisecond, func() { held.Release(); close(released) })
		l, left, err := s.Take("/folder/a.mtm", "uuid")
		took := time.Since(began)
		<-released
		if err == nil && left == nil {
			return l
		}
		if took < patience || tries == 10 {
			t.Fatalf("while it is released: %v, %v after %v", left, err, took)
		}
		if held, left, err = s.Take("/folder/a.mtm", "uuid"); err != nil || left != nil {
			t.Fatalf("after it was released: %v, %v", left, err)
		}
	}
}

// Many take and release one lock: never do two have it.
func TestOneHasTheLock(t *testing.T) {
	s := Store{t.TempDir()}
	var inside, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				l, _, err := s.Take("/folder/a.mtm", "uuid")
				if err != nil {
					if _, held := errors.AsType[*HeldError](err); !held {
						t.Error(err)
					}
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two have the lock")
				}
				taken.Add(1)
				inside.Add(-1)
				l.Release()
			}
		})
	}
	all.Wait()
	if taken.Load() == 0 {
		t.Error("nobody got it")
	}
}

func TestWithoutAPlaceThereIsNoLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := Store{filepath.Join(file, "locks")}.Take("/folder/a.mtm", "uuid")
	if err == nil || !strings.HasPrefix(err.Error(), "Could not make the folder of locks: ") {
		t.Errorf("got %v", err)
	}
}
