package lookup

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/notebook"
)

// folder is a test double for the open folder: notebooks as pairs of prompt and answer.
type folder struct {
	mu    sync.Mutex
	nodes []agenttree.Node
	books map[string][][2]string
	reads int
	slow  chan struct{}
}

func (f *folder) put(path string, ms int64, cells ...[2]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodes = slices.DeleteFunc(slices.Clone(f.nodes), func(n agenttree.Node) bool { return n.File == path })
	f.nodes = append(f.nodes, agenttree.Node{File: path, ModifiedMs: ms})
	f.books[path] = cells
}

func (f *folder) source() Source {
	return Source{
		Agents: func() []agenttree.Node { f.mu.Lock(); defer f.mu.Unlock(); return f.nodes },
		Open:   func(string) bool { return false },
		Start:  func(run func()) { go run() },
		Read: func(path string, do func(*notebook.Document) error) error {
			if f.slow != nil {
				<-f.slow
			}
			f.mu.Lock()
			f.reads++
			cells, there := f.books[path]
			f.mu.Unlock()
			if !there {
				return errors.New("it is gone")
			}
			var messages []string
			for _, c := range cells {
				for i, role := range []string{"user", "assistant"} {
					text, _ := json.Marshal(c[i])
					messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%s}`, role, text))
				}
			}
			nb, err := notebook.Parse([]byte(`{"metadata":{"uuid":"u","name":"N"},"context":[` + strings.Join(messages, ",") + `]}`))
			if err != nil {
				return err
			}
			return do(nb)
		},
	}
}

func (f *folder) readings() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads
}

// find repeats a search until every notebook was read for it.
func find(t *testing.T, x *Finder, query string) Found {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if found := x.FindCells(query); !found.Reading {
			return found
		}
	}
	t.Fatalf("the notebooks are still being read for %q", query)
	return Found{}
}

func words(f Found) (all []string) {
	for _, c := range f.Cells {
		all = append(all, fmt.Sprintf("%s %d %s", c.Path, c.Number, c.Words))
	}
	return all
}

func TestCellsAreFoundByTheirFirstLine(t *testing.T) {
	f := &folder{books: map[string][][2]string{}}
	f.put("a.mtm", 1, [2]string{"Which model of the cache\nholds", "one"}, [2]string{"other", "model"})
	f.put("b.mtm", 2, [2]string{"缓存 mode 改成 write-through", "two"}, [2]string{"Model first", ""})
	x := New(f.source())
	for query, want := range map[string][]string{
		"MOD":        {"b.mtm 2 Model first", "b.mtm 1 缓存 mode 改成 write-through", "a.mtm 1 Which model of the cache holds"},
		"cache mod":  {"a.mtm 1 Which model of the cache holds"},
		"改成":         {"b.mtm 1 缓存 mode 改成 write-through"},
		"more":       nil,
		"":           nil,
		"cache nope": nil,
	} {
		got := find(t, x, query)
		if !slices.Equal(words(got), want) || got.Total != len(want) {
			t.Errorf("%q finds %q of %d", query, words(got), got.Total)
		}
	}
	if n := f.readings(); n != 2 {
		t.Errorf("read %d times", n)
	}
	f.put("a.mtm", 3, [2]string{"changed model", ""})
	if got := find(t, x, "changed"); len(got.Cells) != 1 || f.readings() != 3 {
		t.Errorf("after a change: %v, read %d times", words(got), f.readings())
	}
}

func TestAnAnswerDoesNotWaitForSlowNotebooks(t *testing.T) {
	f := &folder{books: map[string][][2]string{}, slow: make(chan struct{})}
	f.put("a.mtm", 1, [2]string{"model", ""})
	x := New(f.source())
	if got := x.FindCells("model"); !got.Reading || len(got.Cells) != 0 {
		t.Errorf("while it is read: %+v", got)
	}
	close(f.slow)
	deadline := time.Now().Add(time.Minute)
	for x.FindCells("model").Total == 0 {
		if time.Now().After(deadline) {
			t.Fatal("it is never found")
		}
	}
}

func TestGlimpse(t *testing.T) {
	f := &folder{books: map[string][][2]string{}}
	f.put("a.mtm", 1, [2]string{"first", strings.Repeat("long ", 1000)}, [2]string{"last", "the end"})
	x := New(f.source())
	g, err := x.Glimpse("a.mtm", "")
	if err != nil || g.Prompt != "last" || g.Answer != "the end" || g.Number != 2 {
		t.Errorf("the last cell: %+v %v", g, err)
	}
	id := find(t, x, "first").Cells[0].ID
	if g, err = x.Glimpse("a.mtm", id); err != nil || g.Prompt != "first" || len(g.Answer) > glimpseMax+8 {
		t.Errorf("the first cell: %d bytes %v", len(g.Answer), err)
	}
	if _, err := x.Glimpse("a.mtm", "gone"); err == nil {
		t.Error("a cell that is gone is found")
	}
}
