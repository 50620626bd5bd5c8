package complete

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/files"
	"mutsumi/backend/ref"
	"mutsumi/backend/tool"
)

// completer returns a Completer of a real folder with these files.
func completer(t testing.TB, names ...string) *Completer {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder := func() (*files.Roots, error) { return files.New(dir, []string{dir}) }
	return New(Source{
		Folder: folder, Roots: func(string) (*files.Roots, error) { return folder() },
		Tools: func() []tool.Tool { return nil },
		Agents: func() []agenttree.Node {
			return []agenttree.Node{{File: "a.mtm", Name: "Same"}, {File: "b.mtm", Name: "Same"}}
		},
		Start: func(f func(context.Context)) { go f(context.Background()) },
	})
}

func inserts(t *testing.T, c *Completer, path, kind, query string) []string {
	t.Helper()
	items, err := c.Complete(path, kind, query)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, i := range items {
		out = append(out, i.Insert)
	}
	return out
}

func TestAgentsOfOneNameAreDistinguished(t *testing.T) {
	c := completer(t)
	if got, want := inserts(t, c, "", "notebook", "sam"), []string{"@[a.mtm]", "@[b.mtm]"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got, want := inserts(t, c, "a.mtm", "notebook", "sam"), []string{"@[b.mtm]"}; !slices.Equal(got, want) {
		t.Errorf("an agent is offered to itself: %v", got)
	}
}

// What is inserted for a file is read as a reference to that file, whatever its name is.
func TestNamesThatReferencesMisread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are no names there")
	}
	names := []string{"app/[id]/page.tsx", "b{2}.txt", "minutes:3", "open].txt", "50%25.txt", "a@[b.txt"}
	c := completer(t, names...)
	roots, err := c.source.Folder()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		items, err := c.Complete("", "file", name)
		if err != nil || len(items) == 0 {
			t.Fatalf("%s: got %v, %v", name, items, err)
		}
		found := ref.Find("see " + items[0].Insert + ".")
		if len(found) != 1 || found[0].IsTool() || found[0].From != 0 {
			t.Errorf("%s: %s is read as %+v", name, items[0].Insert, found)
			continue
		}
		if info, err := roots.Stat(found[0].Path); err != nil || info.Name() != path.Base(name) {
			t.Errorf("%s: %s refers to %v, %v", name, items[0].Insert, info, err)
		}
	}
}

// A new file is offered once the index knows of it; until the next index is made, queries use the
// last one.
func TestNewFilesAreOffered(t *testing.T) {
	c := completer(t, "old.txt")
	if got := inserts(t, c, "", "file", "old"); !slices.Equal(got, []string{"@[old.txt]"}) {
		t.Fatalf("got %v", got)
	}
	roots, err := c.source.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(roots.Workspace(), "new.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c.FilesChanged()
	c.index.get() // starts the next build
	c.index.mu.Lock()
	building := c.index.building
	c.index.mu.Unlock()
	if building != nil {
		<-building
	}
	if got := inserts(t, c, "", "file", "new"); !slices.Equal(got, []string{"@[new.txt]"}) {
		t.Errorf("got %v", got)
	}
}

func TestUTF16Positions(t *testing.T) {
	if got := utf16Positions("日🙂x", []int{0, 3, 7}); !reflect.DeepEqual(got, []int{0, 1, 3}) {
		t.Errorf("got %v", got)
	}
}

func BenchmarkFiles(b *testing.B) {
	names := make([]string, 2000)
	for i := range names {
		names[i] = filepath.Join("src", string(rune('a'+i%26)), "file"+string(rune('a'+i/26%26))+string(rune('a'+i/676))+".go")
	}
	c := completer(b, names...)
	for b.Loop() {
		if _, err := c.Complete("", "file", "fileab"); err != nil {
			b.Fatal(err)
		}
	}
}
