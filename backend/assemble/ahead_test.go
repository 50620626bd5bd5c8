package assemble_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/assemble"
	"mutsumi/backend/files"
)

// Reading ahead gives what the build itself would read: the same contents, warnings and errors in
// the same order, and each file once.
func TestReadingAheadChangesNothing(t *testing.T) {
	list := map[string]string{"bin.txt": "a\x00b", "big.txt": strings.Repeat("0123456789abcde\n", files.TextLimit/16+1) + "\n", "sub/x.md": "see @[./y.md] and @[f1.txt]", "sub/y.md": "y"}
	inners := []string{"gone.txt", "bin.txt", "big.txt", "big.txt:1:2", "sub", "sub/x.md", "f0.txt:2:1", "/etc/passwd", "link.txt", "out.txt", ""}
	for i := range 100 {
		name := fmt.Sprintf("f%d.txt", i)
		list[name] = strings.Repeat(fmt.Sprintf("line of %d \xff\n", i), i)
		inners = append(inners, name, fmt.Sprintf("f%d.txt:1:1", i))
	}
	ws, roots := folder(t, list)
	for link, to := range map[string]string{"link.txt": "f7.txt", "out.txt": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(ws, link)); err != nil {
			t.Skip(err)
		}
	}
	build := func(ahead bool) (text string, reads int) {
		cache := assemble.NewCache()
		a := assemble.New(assemble.Config{Roots: roots, Cache: cache})
		defer a.Close()
		if ahead {
			a.Ahead(inners[:len(inners)/2])
			a.Ahead(inners)
		}
		for _, inner := range inners {
			item, warnings := a.Reference(t.Context(), inner)
			text += fmt.Sprintf("%q %+v %+v\n", inner, item, warnings)
		}
		return text, cache.Reads()
	}
	want, reads := build(false)
	for range 20 {
		if got, n := build(true); got != want || n < reads-1 || n > reads+1 { // a link and its file may be read at the same time
			t.Fatalf("with %d reads instead of %d it is\n%.3000s\nwant\n%.3000s", n, reads, got, want)
		}
	}
}

// A build takes at most its limit, and reading ahead hardly more.
func TestReadingAheadEnds(t *testing.T) {
	list := map[string]string{}
	var inners []string
	for i := range 40 {
		name := fmt.Sprintf("f%d.txt", i)
		list[name] = strings.Repeat("0123456789abcde\n", files.TextLimit/16)
		inners = append(inners, name)
	}
	_, roots := folder(t, list)
	cache := assemble.NewCache()
	a := assemble.New(assemble.Config{Roots: roots, Cache: cache})
	a.Ahead(inners)
	for i, inner := range inners {
		item, _ := a.Reference(t.Context(), inner)
		if limit := assemble.BuildLimit / files.TextLimit; (item.Problem != "") != (i >= limit-1) {
			t.Errorf("file %d: %q", i, item.Problem)
		}
	}
	a.Close()
	if n := cache.Reads(); n > assemble.BuildLimit/files.TextLimit+4 {
		t.Errorf("%d files were read", n)
	}
	// It stays usable.
	a.Ahead(inners)
	if item, _ := a.Reference(t.Context(), inners[0]); item.Content != "" && item.Problem == "" {
		t.Errorf("past the limit: %+.100v", item)
	}
	a.Close()
}
