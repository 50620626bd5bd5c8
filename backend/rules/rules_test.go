package rules_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/macro"
	"mutsumi/backend/ref"
	"mutsumi/backend/rules"
)

var defaults = fstest.MapFS{
	"a.md":         {Data: []byte("A")},
	"deep/er/b.md": {Data: []byte("B")},
	"readme.txt":   {Data: []byte("no rule")},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	filestest.Write(t, file, text)
}

func names(t *testing.T, ws string) []string {
	t.Helper()
	list, err := rules.List(ws)
	must(t, err)
	var out []string
	for _, r := range list {
		out = append(out, r.Name)
	}
	return out
}

// SPEC 5.2: the program's rules become files when a person asks for it, all of them, and never in a
// folder that has a rules folder, even an empty one.
func TestWrite(t *testing.T) {
	program, err := rules.Program(defaults)
	must(t, err)
	ws := t.TempDir()
	if rules.Has(ws) {
		t.Fatal("an empty folder has rules")
	}
	must(t, rules.Write(ws, program))
	if want := []string{"a.md", "deep/er/b.md"}; !slices.Equal(names(t, ws), want) || !rules.Has(ws) {
		t.Fatalf("listed %q", names(t, ws))
	}
	if got, err := rules.Read(ws, "deep/er/b.md"); err != nil || got != "B" {
		t.Fatalf("%q, %v", got, err)
	}
	write(t, filepath.Join(rules.Folder(ws), "a.md"), "mine")
	must(t, os.RemoveAll(filepath.Join(rules.Folder(ws), "deep")))
	if err := rules.Write(ws, program); !fault.Is(err, fault.Conflict) {
		t.Fatalf("second time: %v", err)
	}
	if got, _ := rules.Read(ws, "a.md"); got != "mine" || len(names(t, ws)) != 1 {
		t.Fatalf("second time: a.md is %q, listed %q", got, names(t, ws))
	}
	emptied := t.TempDir()
	must(t, os.MkdirAll(rules.Folder(emptied), 0o755))
	if err := rules.Write(emptied, program); !fault.Is(err, fault.Conflict) || len(names(t, emptied)) != 0 {
		t.Fatalf("a folder that was emptied: %v, %q", err, names(t, emptied))
	}
	left, err := filepath.Glob(filepath.Join(ws, ".mutsumi", ".rules-*"))
	must(t, err)
	if len(left) != 0 {
		t.Fatalf("left behind: %q", left)
	}
}

func TestProgram(t *testing.T) {
	got, err := rules.Program(defaults)
	must(t, err)
	if want := []rules.Rule{{Name: "a.md", Text: "A"}, {Name: "deep/er/b.md", Text: "B"}}; !slices.Equal(got, want) {
		t.Fatalf("got %+v", got)
	}
}

// SPEC 5.2: byte order of the paths.
func TestListOrder(t *testing.T) {
	ws := t.TempDir()
	want := []string{"A.md", "a-b.md", "a.md", "a/z.md", "b.MD", "規則.md"}
	for _, n := range slices.Backward(want) {
		write(t, filepath.Join(rules.Folder(ws), n), n)
	}
	write(t, filepath.Join(rules.Folder(ws), "note.txt"), "")
	if got := names(t, ws); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if got := names(t, t.TempDir()); len(got) != 0 {
		t.Fatalf("a folder without rules has %q", got)
	}
}

func TestReadStaysInside(t *testing.T) {
	ws := t.TempDir()
	write(t, filepath.Join(rules.Folder(ws), "a.md"), "A")
	write(t, filepath.Join(ws, "secret.md"), "S")
	must(t, os.Symlink(filepath.Join(ws, "secret.md"), filepath.Join(rules.Folder(ws), "link.md")))
	if got, err := rules.Read(ws, "a.md"); err != nil || got != "A" {
		t.Fatalf("%q, %v", got, err)
	}
	for name, kind := range map[string]fault.Kind{
		"../../secret.md": fault.Invalid, "link.md": fault.Invalid, "nope.md": fault.NotFound, "/etc/passwd": fault.Invalid, ".": fault.Invalid,
	} {
		if got, err := rules.Read(ws, name); !fault.Is(err, kind) {
			t.Errorf("%s: %q, %v; want %s", name, got, err, kind)
		}
	}
}

// SPEC 5.2: changes on disk are reported within a second, even for files saved by renaming, for
// folders made later, and before there is a rules folder.
func TestWatch(t *testing.T) {
	ws := t.TempDir()
	told := make(chan time.Time, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rules.Watch(ctx, ws, nil, func() { told <- time.Now() })
	}()

	dir := rules.Folder(ws)
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"the folder comes", func() { write(t, filepath.Join(dir, "a.md"), "1") }, []string{"a.md"}},
		{"a change", func() { write(t, filepath.Join(dir, "a.md"), "2") }, nil},
		{"a save by renaming", func() {
			write(t, filepath.Join(dir, ".a.md.tmp"), "3")
			must(t, os.Rename(filepath.Join(dir, ".a.md.tmp"), filepath.Join(dir, "a.md")))
		}, nil},
		{"folders in folders", func() { write(t, filepath.Join(dir, "x", "y", "b.md"), "1") }, []string{"a.md", "x/y/b.md"}},
		{"a change deep down", func() { write(t, filepath.Join(dir, "x", "y", "b.md"), "2") }, nil},
		{"a removal", func() { must(t, os.RemoveAll(filepath.Join(dir, "x"))) }, []string{"a.md"}},
		{"the folder goes and comes", func() {
			must(t, os.RemoveAll(filepath.Join(ws, ".mutsumi")))
			write(t, filepath.Join(dir, "c.md"), "1")
		}, []string{"c.md"}},
		{"and is still watched", func() { write(t, filepath.Join(dir, "d.md"), "1") }, []string{"c.md", "d.md"}},
	}
	patience := 3 * time.Second
	for _, s := range steps {
		for started := false; !started; { // the watch may not have begun when the first step runs
			for len(told) > 0 {
				<-told
			}
			s.do()
			select {
			case <-told:
				started = true
			case <-time.After(patience):
				if s.name != steps[0].name {
					t.Fatalf("%s: no change was reported", s.name)
				}
				must(t, os.RemoveAll(filepath.Join(ws, ".mutsumi")))
			}
		}
		if s.want == nil {
			continue
		}
		patience = time.Minute // the watch has begun
		for deadline := time.Now().Add(patience); !slices.Equal(names(t, ws), s.want); {
			if time.Now().After(deadline) {
				t.Fatalf("%s: rules are %q, want %q", s.name, names(t, ws), s.want)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(2 * 150 * time.Millisecond) // let all reports of this step arrive before the next one
	}
	cancel()
	<-ended
}

// The default rules suit everybody: no references, no warnings in a new folder, and short enough to
// send with every prompt.
func TestDefaultRules(t *testing.T) {
	dir := filepath.Join("..", "..", "assets", "rules")
	list, err := filepath.Glob(filepath.Join(dir, "*.md"))
	must(t, err)
	if len(list) == 0 {
		t.Fatal("no default rules")
	}
	total := 0
	for _, file := range list {
		raw, err := os.ReadFile(file)
		must(t, err)
		got := macro.Process(string(raw), macro.New(nil), macro.Options{})
		if len(got.Warnings) > 0 || strings.Contains(macro.Expand(got.Text, macro.New(nil)), "{{") {
			t.Errorf("%s: %v\n%s", file, got.Warnings, got.Text)
		}
		if refs := ref.Find(string(raw)); len(refs) > 0 {
			t.Errorf("%s holds references: %v", file, refs)
		}
		total += len(raw)
	}
	if total > 4000 {
		t.Errorf("the default rules are %d bytes: they go with every prompt", total)
	}
}
