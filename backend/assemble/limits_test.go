package assemble_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/assemble"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
)

// folder makes a workspace of files and a way to assemble in it.
func folder(t testing.TB, list map[string]string) (ws string, roots *files.Roots) {
	ws, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range list {
		p := filepath.Join(ws, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	roots, err = files.New(ws, []string{ws})
	if err != nil {
		t.Fatal(err)
	}
	return ws, roots
}

// SPEC 3.4: at most 20 deep.
func TestDepth(t *testing.T) {
	list := map[string]string{}
	for i := range 25 {
		list[fmt.Sprintf("f%d.md", i)] = fmt.Sprintf("%d @[f%d.md]", i, i+1)
	}
	_, roots := folder(t, list)
	got := assemble.New(assemble.Config{Roots: roots}).Inline(t.Context(), assemble.Text{Text: "@[f0.md]"}).Content
	if !strings.HasPrefix(got, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 > Error including f20.md: files stand in files more than 20 deep here: f0.md -> ") {
		t.Errorf("%q", got)
	}
}

// SPEC 3.6: limits with clear errors.
func TestLimits(t *testing.T) {
	_, roots := folder(t, map[string]string{
		"big.txt":  strings.Repeat("0123456789abcde\n", files.TextLimit/16+1) + "\n",
		"full.txt": strings.Repeat("0123456789abcde\n", files.TextLimit/16),
		"bin.txt":  "a\x00b",
		// 20 levels of two: a million copies of the last one, without a cycle.
		"l19.md": "leaf",
	})
	for i := range 19 {
		next := fmt.Sprintf("@[l%d.md]", i+1)
		must(t, os.WriteFile(filepath.Join(roots.Workspace(), fmt.Sprintf("l%d.md", i)), []byte(next+next), 0o644))
	}
	for _, c := range []struct{ ref, want string }{
		{"big.txt", "> Error including big.txt: big.txt is 2 MB, more than the 2 MB that fit: name a range of lines, big.txt:1:200"},
		{"big.txt:2", "0123456789abcde"},
		{"big.txt:131074", ""}, // the last line, which is empty
		{"big.txt:131075:131080", "> Error including big.txt:131075:131080: there is no line 131075: the last one is 131074"},
		{"bin.txt", "> Error including bin.txt: bin.txt is a binary file, not text"},
		{"bin.txt:1", "> Error including bin.txt:1: bin.txt is a binary file, not text"},
	} {
		got := assemble.New(assemble.Config{Roots: roots}).Inline(t.Context(), assemble.Text{Text: "@[" + c.ref + "]"}).Content
		if got != c.want {
			t.Errorf("%s: %.200q, want %q", c.ref, got, c.want)
		}
	}
	many := assemble.New(assemble.Config{Roots: roots}).Append(t.Context(), assemble.Text{Text: strings.Repeat("@[full.txt]", 9)})
	for i, item := range many.Items {
		if (item.Problem != "") != (i > 6) {
			t.Errorf("item %d of 2 MB each: problem %q", i, item.Problem)
		}
	}
	if want := "one build takes at most 16 MB"; !strings.Contains(many.Items[8].Content, want) {
		t.Errorf("%q does not say %q", many.Items[8].Content, want)
	}
	grown := assemble.New(assemble.Config{Roots: roots}).Inline(t.Context(), assemble.Text{Text: "@[l0.md]"})
	if !strings.Contains(grown.Content, "at most 16 MB") || len(grown.Content) > 64<<20 {
		t.Errorf("files that double 19 times became %d bytes", len(grown.Content))
	}
}

// Cheap items together stay cheap: references to missing files, tool calls, ranges of a large file,
// warnings.
func TestLimitsAddUp(t *testing.T) {
	_, roots := folder(t, map[string]string{
		"log.txt":   strings.Repeat("0123456789abcde\n", 4<<16),
		"gone.md":   strings.Repeat("@[x]", 200_000),
		"calls.md":  "",
		"ranges.md": "",
	})
	var calls, ranges strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&calls, "@[echo{\"n\":%d}]", i)
		fmt.Fprintf(&ranges, "@[log.txt:%d]", i+1)
	}
	must(t, os.WriteFile(filepath.Join(roots.Workspace(), "calls.md"), []byte(calls.String()), 0o644))
	must(t, os.WriteFile(filepath.Join(roots.Workspace(), "ranges.md"), []byte(ranges.String()), 0o644))
	for _, c := range []struct {
		name string
		most int
	}{{"gone.md", 128 << 20}, {"calls.md", 2 << 20}, {"ranges.md", 2 << 20}} {
		tools := &caller{roots: roots}
		got := assemble.New(assemble.Config{Roots: roots, Tools: tools, Trusted: true}).Inline(t.Context(), assemble.Text{Text: "@[" + c.name + "]"})
		if !strings.Contains(got.Content, "at most 16 MB") || len(got.Content) > c.most || len(got.Warnings) > 501 || len(tools.ran) > 1100 {
			t.Errorf("%s: %d bytes, %d warnings, %d calls", c.name, len(got.Content), len(got.Warnings), len(tools.ran))
		}
	}
}

// SPEC 3.7: within a build a file is read once; between builds only if it
// changed, even if its size and time are as they were.
func TestCache(t *testing.T) {
	ws, roots := folder(t, map[string]string{"a.md": "one @[b.go]", "b.go": "B"})
	age := func(name string, d time.Duration) {
		at := time.Now().Add(-d)
		must(t, os.Chtimes(filepath.Join(ws, name), at, at))
	}
	age("a.md", time.Hour)
	age("b.go", time.Hour)
	cache := assemble.NewCache()
	build := func(text string) string {
		return assemble.New(assemble.Config{Roots: roots, Cache: cache}).Inline(t.Context(), assemble.Text{Text: text}).Content
	}
	if got := build("@[a.md]@[a.md]@[b.go]"); got != "one Bone BB" || cache.Reads() != 2 {
		t.Fatalf("%q with %d reads", got, cache.Reads())
	}
	if got := build("@[a.md]@[b.go:1]"); got != "one BB" || cache.Reads() != 2 {
		t.Fatalf("again: %q with %d reads", got, cache.Reads())
	}
	must(t, os.WriteFile(filepath.Join(ws, "b.go"), []byte("C"), 0o644))
	age("b.go", -time.Hour) // counts as just written, however slow the machine is
	if got := build("@[a.md]"); got != "one C" || cache.Reads() != 3 {
		t.Fatalf("changed: %q with %d reads", got, cache.Reads())
	}
	// Just written: a second change within one tick would not show, so it is read again.
	if got := build("@[a.md]"); got != "one C" || cache.Reads() != 4 {
		t.Fatalf("fresh: %q with %d reads", got, cache.Reads())
	}
	age("b.go", time.Hour)
	build("@[b.go]")
	info, err := os.Stat(filepath.Join(ws, "b.go"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(ws, "new"), []byte("D"), 0o644))
	must(t, os.Chtimes(filepath.Join(ws, "new"), info.ModTime(), info.ModTime()))
	must(t, os.Rename(filepath.Join(ws, "new"), filepath.Join(ws, "b.go")))
	if got := build("@[b.go]"); got != "D" {
		t.Fatalf("another file of the same size and time: %q", got)
	}
}

// SPEC 4.3: a series of previews runs a tool once.
func TestPreviewRunsNothingTwice(t *testing.T) {
	_, roots := folder(t, nil)
	cache, tools := assemble.NewCache(), &caller{roots: roots}
	build := func(preview bool) {
		assemble.New(assemble.Config{Roots: roots, Cache: cache, Tools: tools, Preview: preview}).
			Append(t.Context(), assemble.Text{Text: `@[echo{"a":1}] @[write{}]`, Typed: true})
	}
	build(true)
	build(true)
	if len(tools.ran) != 1 {
		t.Fatalf("previews ran %q", tools.ran)
	}
	build(false)
	if len(tools.ran) != 3 {
		t.Fatalf("with the run: %q", tools.ran)
	}
	cache.ForgetTools()
	build(true)
	if len(tools.ran) != 4 {
		t.Fatalf("after forgetting: %q", tools.ran)
	}
}

func TestCanceled(t *testing.T) {
	_, roots := folder(t, map[string]string{"a.md": "A"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := assemble.New(assemble.Config{Roots: roots}).Inline(ctx, assemble.Text{Text: "@[a.md]"}).Content
	if got != "> Error including a.md: context canceled" {
		t.Errorf("%q", got)
	}
}

// A link to a file that includes the link comes to an end.
func TestLinkCycle(t *testing.T) {
	ws, roots := folder(t, map[string]string{"a.md": "A @[link.md]"})
	must(t, os.Symlink(filepath.Join(ws, "a.md"), filepath.Join(ws, "link.md")))
	got := assemble.New(assemble.Config{Roots: roots}).Inline(t.Context(), assemble.Text{Text: "@[a.md]"}).Content
	if got != "A A > Error including link.md: cycle: link.md -> link.md" {
		t.Errorf("%q", got)
	}
}

// FuzzInline checks for any text, as a document and as a file: no panic, each parameter occurs
// once, and a text without `---`, `@` and `{{` is returned unchanged.
func FuzzInline(f *testing.F) {
	for _, s := range []string{
		"---\nParams: [a, a]\nDescription: x\n---\nbody", "---\n- a\n---\n", "---\na: &a [*a]\n---\n", "---\n? [a]: b\n---", "---\n---\n---",
		"@[a.md] @[a.md:1:2]", `@[echo{"a":"{{V}}"}]`, "@[{{V}}.md]", "@{ifdef V}@[b.go]@{endif}", "---\n\"\\u", "---\nParams: !!set {a, b}\n---\n",
	} {
		f.Add(s)
	}
	ws, roots := folder(f, map[string]string{"b.go": "B"})
	f.Fuzz(func(t *testing.T, text string) {
		must(t, os.WriteFile(filepath.Join(ws, "a.md"), []byte(text), 0o644))
		for _, doc := range []string{text, "@[a.md]"} {
			a := assemble.New(assemble.Config{Roots: roots, Macros: macro.New(map[string]string{"V": "a"}), Tools: &caller{roots: roots}, Trusted: true})
			got := a.Inline(t.Context(), assemble.Text{Text: doc})
			seen := map[string]bool{}
			for _, p := range got.Params {
				if seen[p] {
					t.Fatalf("%q: parameter %q twice", text, p)
				}
				seen[p] = true
			}
			if doc == text && !strings.Contains(text, "---") && !strings.ContainsAny(text, "@{") && got.Content != text {
				t.Fatalf("%q became %q", text, got.Content)
			}
		}
	})
}
