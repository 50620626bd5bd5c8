//go:build unix

package files

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

const secret = "SECRET outside the allowed folders"

// trap is a workspace with everything in it that could lead out.
func trap(t *testing.T) (ws, out string) {
	t.Helper()
	base := t.TempDir()
	ws, out = filepath.Join(base, "ws"), filepath.Join(base, "outside")
	for _, dir := range []string{"ws/sub/deep", "outside/dir", "ws-evil", "WS"} {
		must(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	for _, f := range []string{"outside/secret", "outside/dir/secret", "ws-evil/secret", "WS/secret", "secret"} {
		must(t, os.WriteFile(filepath.Join(base, f), []byte(secret), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(ws, "inside.txt"), []byte("inside"), 0o644))
	links := map[string]string{
		"abs":          filepath.Join(out, "secret"),
		"rel":          "../outside/secret",
		"deepen":       "sub/deep/../../../outside/secret",
		"dirabs":       out,
		"dirrel":       "../outside",
		"sub/up":       "../..",
		"sub/deep/up":  "../../../outside",
		"chain":        "chain2",
		"chain2":       "sub/chain3",
		"sub/chain3":   "../../outside/secret",
		"dot":          ".",
		"parent":       "..",
		"root":         "/",
		"etc":          "/etc",
		"passwd":       "/etc/passwd",
		"proc":         "/proc/self/environ",
		"procroot":     "/proc/self/root",
		"proccwd":      "/proc/self/cwd",
		"fd":           "/dev/fd/0",
		"null":         "/dev/null",
		"zero":         "/dev/zero",
		"loop":         "loop",
		"sub/selfdots": "../../ws/../outside/secret",
	}
	for name, target := range links {
		must(t, os.Symlink(target, filepath.Join(ws, name)))
	}
	for _, p := range []string{"pipe", "sub/pipe"} {
		must(t, syscall.Mkfifo(filepath.Join(ws, p), 0o644))
	}
	must(t, os.Symlink("pipe", filepath.Join(ws, "pipelink")))
	return ws, out
}

// TestEscapes checks that no spelling leads outside, nothing blocks, and refusals are Denied,
// Invalid or NotFound with the path in the message.
func TestEscapes(t *testing.T) {
	ws, out := trap(t)
	base := filepath.Dir(ws)
	r := open(t, ws)
	attempts := []string{
		// up and out
		"../outside/secret", "./../outside/secret", "sub/../../outside/secret", "sub/deep/../../../outside/secret",
		"../ws/../outside/secret", "..//outside//secret", ".././outside/./secret", "sub//..//..//outside/secret",
		"../secret", "..", "../", "../..", "../../../../../../../../etc/passwd", "./.././../../../../../etc/passwd",
		// absolute
		out + "/secret", "/" + out + "/secret", "//" + out + "/secret", out, ws + "/../outside/secret", ws + "/sub/../../outside/secret", "/etc/passwd", "/", "//", "/etc", "/etc/../etc/passwd",
		// a folder whose name begins like the workspace's, and another case of it
		ws + "-evil/secret", "../ws-evil/secret", base + "/WS/secret", "../WS/secret", strings.ToUpper(ws) + "/inside.txt",
		// URIs
		"file://" + out + "/secret", "file:///etc/passwd", "FILE:///etc/passwd", "file:/etc/passwd", "file://localhost/etc/passwd", "file://LOCALHOST" + out + "/secret",
		"file://" + ws + "/../outside/secret", "file://" + ws + "/%2e%2e/outside/secret", "file://" + ws + "/%2E%2E%2Foutside%2Fsecret", "file://" + ws + "%2f..%2foutside%2fsecret",
		"file://evil.example/etc/passwd", "file://evil.example" + ws + "/inside.txt", "file:etc/passwd", "file://", "file:", "file://" + ws + "/%zz", "file://" + ws + "/inside.txt%00",
		// percent signs mean nothing in a path
		"%2e%2e/outside/secret", "..%2foutside%2fsecret", "%2e%2e%2foutside%2fsecret", "..%5coutside%5csecret", "%252e%252e/secret",
		// NUL, and characters that look like others
		"inside.txt\x00", "\x00", "inside.txt\x00.png", out + "/secret\x00.txt", "..\x00/outside/secret", "․․/outside/secret", "..／outside／secret", "..\\outside\\secret", "....//outside/secret",
		// trailing dots and spaces, home and variables
		"../outside/secret.", "../outside/secret ", "..../outside/secret", ".. /outside/secret", "~/secret", "~root", "$HOME/secret",
		// links
		"abs", "rel", "deepen", "dirabs", "dirabs/secret", "dirabs/dir/secret", "dirrel/secret", "dirrel/dir/../secret", "sub/up", "sub/up/outside/secret", "sub/deep/up/secret", "chain", "chain2", "sub/chain3",
		"dot/rel", "dot/dot/dot/abs", "parent", "parent/secret", "parent/outside/secret", "root", "root/etc/passwd", "etc/passwd", "passwd", "loop", "loop/x", "sub/selfdots", "dirabs/../../outside/secret", "./abs", "sub/../abs", ws + "/abs", "file://" + ws + "/abs", "file://" + ws + "/%61bs",
		// the running system
		"proc", "procroot/etc/passwd", "proccwd/secret", "fd", "null", "zero", "/proc/self/environ", "/proc/self/root" + out + "/secret", "/proc/self/root" + ws + "/inside.txt/x", "/proc/1/cmdline", "/dev/zero", "/dev/stdin", "/dev/fd/0", "/dev/tty", "/sys/kernel/hostname",
		// files that would block for ever
		"pipe", "sub/pipe", "pipelink",
	}
	if len(attempts) < 60 {
		t.Fatalf("only %d attempts", len(attempts))
	}
	reader := r.Reader()
	defer reader.Close()
	ops := map[string]func(p string) (string, error){
		"Reader":    func(p string) (string, error) { return readBy(reader, p) },
		"Read":      func(p string) (string, error) { return r.Read(p, TextLimit) },
		"ReadBytes": func(p string) (string, error) { b, err := r.ReadBytes(p, TextLimit); return string(b), err },
		"ReadRange": func(p string) (string, error) { return r.ReadRange(p, 1, 5, TextLimit) },
		"List":      func(p string) (string, error) { e, err := r.List(p); return Listing(e), err },
		"Walk": func(p string) (string, error) {
			err := r.Walk(t.Context(), p, func(e Entry) error { return nil })
			return "", err
		},
	}
	seen := map[string]bool{}
	for _, p := range attempts {
		if seen[p] {
			t.Errorf("%q is in the table twice", p)
		}
		seen[p] = true
		for name, op := range ops {
			start := time.Now()
			got, err := op(p)
			if err == nil {
				t.Errorf("%s(%q) got %.60q", name, p, got)
				continue
			}
			if k := fault.Of(err).Kind; k != fault.Denied && k != fault.Invalid && k != fault.NotFound {
				t.Errorf("%s(%q): kind %s: %v", name, p, k, err)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s(%q): the error holds the content", name, p)
			}
			if time.Since(start) > time.Minute {
				t.Errorf("%s(%q) waited", name, p)
			}
		}
	}
	for _, p := range attempts {
		if err := r.Write(p, []byte("pwned")); err == nil {
			// Odd names are good names for new files inside; outside nothing may be written.
			if real, err := r.Path(p); err != nil || !strings.HasPrefix(real, ws+"/") {
				t.Errorf("Write(%q) went to %q, %v", p, real, err)
			}
		}
	}
	t.Logf("%d attempts, %d operations each", len(attempts), len(ops)+1)
	for _, f := range []string{"outside/secret", "outside/dir/secret", "ws-evil/secret", "WS/secret", "secret"} {
		if b, err := os.ReadFile(filepath.Join(base, f)); err != nil || string(b) != secret {
			t.Errorf("%s was changed: %q, %v", f, b, err)
		}
	}
	entries, err := os.ReadDir(out)
	must(t, err)
	if len(entries) != 2 {
		t.Errorf("the folder outside holds %v", entries)
	}
}

// TestRootOfDisk checks that allowing "/" allows its disks, but not the kernel's files.
func TestRootOfDisk(t *testing.T) {
	r := open(t, t.TempDir(), "/")
	if _, err := r.Read("/etc/passwd", TextLimit); err != nil {
		t.Errorf("/etc/passwd: %v", err)
	}
	for _, p := range []string{"/proc/self/environ", "/dev/zero", "/sys/kernel/notes", "/proc", "/dev/../proc/self/maps", "file:///proc/self/environ"} {
		if _, err := os.Lstat(p); err == nil || strings.HasPrefix(p, "file:") {
			if _, err := r.ReadBytes(p, TextLimit); !fault.Is(err, fault.Denied) {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
}

// TestSwap checks that a link that is swapped between the check and the opening never shows files
// outside.
func TestSwap(t *testing.T) {
	ws, out := trap(t)
	r := open(t, ws)
	must(t, os.MkdirAll(filepath.Join(ws, "real"), 0o755))
	must(t, os.WriteFile(filepath.Join(ws, "real", "secret"), []byte("inside"), 0o644))
	door, next := filepath.Join(ws, "door"), filepath.Join(ws, "next")
	must(t, os.Symlink("real", door))
	reader := r.Reader()
	defer reader.Close()
	stop, swaps := make(chan struct{}), atomic.Int64{}
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			target := "real"
			if i%2 == 0 {
				target = out
			}
			if os.Symlink(target, next) == nil && os.Rename(next, door) == nil {
				swaps.Add(1)
			}
		}
	})
	defer swapping.Wait() // before the folder is removed
	defer close(stop)
	read := 0
	for range 20_000 {
		got, err := readBy(reader, "door/secret")
		if reader.Close(); strings.Contains(got, "SECRET") {
			t.Fatalf("a reader: %q, %v", got, err)
		}
		got, err = r.Read("door/secret", TextLimit)
		if err == nil {
			read++
			if got != "inside" {
				t.Fatalf("read %q", got)
			}
		}
	}
	if read == 0 || swaps.Load() == 0 {
		t.Errorf("the race did not happen: %d reads, %d swaps", read, swaps.Load())
	}
}

// TestSwapPipe: a file that becomes a pipe after the check does not hang.
func TestSwapPipe(t *testing.T) {
	ws := folder(t, map[string]string{"f": "text"})
	r := open(t, ws)
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(ws, "next")
			if i%2 == 0 {
				_ = syscall.Mkfifo(next, 0o644)
			} else {
				_ = os.WriteFile(next, []byte("text"), 0o644)
			}
			_ = os.Rename(next, filepath.Join(ws, "f"))
		}
	})
	defer swapping.Wait() // before the folder is removed
	defer close(stop)
	done := make(chan error, 1)
	go func() {
		for range 5000 {
			if got, err := r.Read("f", 100); err == nil && got != "text" && got != "" {
				done <- fmt.Errorf("read %q", got)
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		must(t, err)
	case <-time.After(time.Minute):
		t.Fatal("reading a pipe waits")
	}
}

// readBy reads a file, or names a folder, that a reader opens.
func readBy(reader *Reader, p string) (string, error) {
	f, _, err := reader.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return f.Name(), err
	}
	b, err := io.ReadAll(f)
	return string(b), err
}
