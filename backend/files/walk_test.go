package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func walk(t testing.TB, r *Roots, dir string) []string {
	t.Helper()
	var out []string
	must(t, r.Walk(context.Background(), dir, func(e Entry) error {
		if e.Dir {
			out = append(out, e.Path+"/")
		} else {
			out = append(out, e.Path)
		}
		return nil
	}))
	return out
}

func TestWalk(t *testing.T) {
	ws := folder(t, map[string]string{
		".gitignore": "*.log\n/build\nnode_modules/\n!keep.log\n", "a.go": "", "x.log": "", "keep.log": "", "build/out": "", "src/build/in.go": "",
		"src/node_modules/m.js": "", "src/.gitignore": "gen/*\n!gen/keep.go\n", "src/gen/a.go": "", "src/gen/keep.go": "", ".git/config": "", "sub/.git/x": "", "empty/": "", "node_modules": "a file of that name",
	})
	must(t, os.Symlink("..", filepath.Join(ws, "src", "loop")))
	r := open(t, ws)
	want := []string{".gitignore", "a.go", "empty/", "keep.log", "node_modules", "src/", "src/.gitignore", "src/build/", "src/build/in.go", "src/gen/", "src/gen/keep.go", "src/loop", "sub/"}
	if got := walk(t, r, "."); !slices.Equal(got, want) {
		t.Errorf("the walk gives\n%q, want\n%q", got, want)
	}
	// Below, the files above count all the same.
	want = []string{".gitignore", "build/", "build/in.go", "gen/", "gen/keep.go", "loop"}
	if got := walk(t, r, "src"); !slices.Equal(got, want) {
		t.Errorf("the walk of src gives\n%q, want\n%q", got, want)
	}
}

func TestWalkEnds(t *testing.T) {
	r := open(t, folder(t, map[string]string{"a/1": "", "a/2": "", "b/1": "", "c": ""}))
	var seen []string
	must(t, r.Walk(t.Context(), ".", func(e Entry) error {
		seen = append(seen, e.Path)
		switch e.Path {
		case "a":
			return fs.SkipDir
		case "b/1":
			return fs.SkipAll
		}
		return nil
	}))
	if want := []string{"a", "b", "b/1"}; !slices.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
	mine := errors.New("mine")
	if err := r.Walk(t.Context(), ".", func(Entry) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("an error of fn: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := r.Walk(ctx, ".", func(Entry) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled walk: %v", err)
	}
}

// TestIgnoreLikeGit asks git itself which files its rules leave out.
func TestIgnoreLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	lines := []string{
		"*.log", "!important.log", "/top", "dir/", "a/b", "a/*/c", "**/deep", "x/**", "p/**/q", "fo?", "[abc].txt", "[!abc].md", "[^d-f].x", "\\#hash", "\\!bang", "trail   ", "esc\\ ", "#comment", "", "sp ace",
		"*", "!*/", "!*.go", "**", "foo/**/bar/*.js", "*a*b*c*", "ab\\*c", "[]]", "[[:digit:]]*", "中*", "?文", "/a/", "a/**/", "**/x/y", "dir/*", "!dir/keep", "**foo", "b**r", "/*", "!/src", "[a-", "a[", "\\", "/", "!", "//", "a//b", "./a", ".", "..", "*/", "**/*.log", "x\r",
	}
	paths := []string{
		"a.log", "important.log", "top", "sub/top", "dir/f", "sub/dir/f", "a/b", "sub/a/b", "a/x/c", "a/x/y/c", "deep", "s/deep", "s/t/deep/f", "x/1", "x/2/3", "p/q", "p/1/q", "p/1/2/q", "foo", "fox", "fo", "a.txt", "d.txt", "d.md", "a.md", "e.x", "g.x", "#hash", "!bang", "trail", "esc ", "sp ace",
		"main.go", "src/main.go", "foo/bar/z.js", "foo/1/2/bar/z.js", "xaxbxcx", "abc", "ab*c", "]", "7up", "中文", "dir/keep", "xfoo", "bar", "bxxr", "x/y", "s/x/y", "b", "..a", "src/x",
	}
	rnd := func(n int) func() int { // fixed, so that a failure comes again
		s := uint64(n)*2654435761 + 1
		return func() int { s = s*6364136223846793005 + 1442695040888963407; return int(s >> 33) }
	}
	ws := folder(t, nil)
	for _, p := range paths {
		// Some names are wanted as a file and as a folder: the first wins.
		if os.MkdirAll(filepath.Dir(filepath.Join(ws, p)), 0o755) == nil {
			_ = os.WriteFile(filepath.Join(ws, p), nil, 0o644)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "core.excludesFile", "/dev/null"}} {
		cmd := exec.Command(git, args...)
		cmd.Dir = ws
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	r := open(t, ws)
	for round := range 60 {
		next := rnd(round)
		rules := []string{lines[round%len(lines)]}
		for range next() % 5 {
			rules = append(rules, lines[next()%len(lines)])
		}
		text := strings.Join(rules, "\n") + "\n"
		must(t, os.WriteFile(filepath.Join(ws, ".gitignore"), []byte(text), 0o644))
		cmd := exec.Command(git, "ls-files", "-z", "--others", "--exclude-standard")
		cmd.Dir = ws
		out, err := cmd.Output()
		must(t, err)
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if len(out) == 0 {
			want = nil
		}
		got := slices.DeleteFunc(walk(t, r, "."), func(p string) bool { return strings.HasSuffix(p, "/") })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("rules %q:\n got %q\nwant %q", rules, got, want)
		}
	}
}

// TestGlobTime checks that hostile patterns stay quick; otherwise this test takes for ever.
func TestGlobTime(t *testing.T) {
	name := strings.Repeat("a", 250)
	for _, pat := range []string{strings.Repeat("*a", 100) + "b", strings.Repeat("a*", 100) + "b"} {
		if globMatch(pat, name) {
			t.Errorf("%s matches", pat)
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	ws := b.TempDir()
	must(b, os.WriteFile(filepath.Join(ws, ".gitignore"), []byte("*.log\n*.o\nnode_modules/\n/dist\n**/generated/*.go\n.cache\n*.py[co]\n"), 0o644))
	for d := range 200 {
		dir := filepath.Join(ws, fmt.Sprintf("pkg%d", d/20), fmt.Sprintf("mod%d", d))
		must(b, os.MkdirAll(dir, 0o755))
		for f := range 100 {
			must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file_%d.go", f)), nil, 0o644))
		}
	}
	r := open(b, ws)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		must(b, r.Walk(context.Background(), ".", func(Entry) error { n++; return nil }))
		if n != 20_000+10+200+1 {
			b.Fatalf("%d entries", n)
		}
	}
}
