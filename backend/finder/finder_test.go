package finder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var files = []string{
	"README.md", "main.go", "backend/workspace/run.go", "backend/workspace/run_test.go", "backend/agent/run.go",
	"backend/web/handler.go", "frontend/src/App.svelte", "frontend/src/features/notebook/NotebookView.svelte",
	"文档/说明.md", "docs/Ünïcode file.md", "backend/rules/rules.go", "backend/macro/macro.go", "src/a.go", "b/",
}

func TestSearch(t *testing.T) {
	x := New(files)
	for query, want := range map[string]string{
		"run":       "backend/agent/run.go",
		"wsrun":     "backend/workspace/run.go",
		"handler":   "backend/web/handler.go",
		"app":       "frontend/src/App.svelte",
		"nbview":    "frontend/src/features/notebook/NotebookView.svelte",
		"NOTEVIEW":  "frontend/src/features/notebook/NotebookView.svelte",
		"说明":        "文档/说明.md",
		"readme":    "README.md",
		"src/a.go":  "src/a.go",
		"macro.go":  "backend/macro/macro.go",
		"main . go": "main.go",
	} {
		got := x.Search(query, 3)
		if len(got) == 0 || got[0].Text != want {
			t.Errorf("%q: got %v, want %s first", query, got, want)
		}
	}
	if got := x.Search("zzz", 3); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := x.Search("", 2); len(got) != 2 || got[0].Text != "b/" {
		t.Errorf("got %v", got)
	}
}

func TestStrewnLettersAreTheLastResort(t *testing.T) {
	x := New([]string{"notes/season.md", "src/__pycache__/garden.cpython-311.pyc"})
	var got []string
	for _, m := range x.Search("sea", 10) {
		got = append(got, m.Text)
	}
	if want := []string{"notes/season.md"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	x = New([]string{"src/parser/garden.go"})
	if got := x.Search("sra", 10); len(got) != 1 {
		t.Errorf("strewn letters are not found when nothing is better: %v", got)
	}
}

// Matches contain the letters of the query in order, at the given positions.
func TestMatchesHoldTheQuery(t *testing.T) {
	x := New(files)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		q := ""
		for range 1 + r.IntN(5) {
			f := files[r.IntN(len(files))]
			q += string(f[r.IntN(len(f))])
		}
		for _, m := range x.Search(q, 100) {
			letters := ""
			for _, i := range m.At {
				letters += string(m.Text[i])
			}
			if want := strings.ToLower(strings.ReplaceAll(q, " ", "")); !strings.EqualFold(letters, want) || !slices.IsSorted(m.At) {
				t.Fatalf("%q in %q: positions %v are %q", q, m.Text, m.At, letters)
			}
		}
	}
}

// Cutting the list short gives the beginning of the whole list.
func TestLimitKeepsTheBest(t *testing.T) {
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("dir%d/file%d.go", i%71, i))
	}
	x := New(names)
	for _, q := range []string{"", "f1", "d7f", "file9", "go"} {
		all, few := x.Search(q, len(names)), x.Search(q, 20)
		for i := range few {
			if few[i].Text != all[i].Text {
				t.Errorf("%q: place %d is %s, want %s", q, i, few[i].Text, all[i].Text)
				break
			}
		}
	}
}

func BenchmarkSearch100000(b *testing.B) {
	var names []string
	for i := range 100_000 {
		names = append(names, fmt.Sprintf("packages/module%d/src/component%d/Some%dView.svelte", i%97, i%1009, i))
	}
	x := New(names)
	for _, q := range []string{"s", "view", "mod9some1", "comp50view777", "qqq"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				x.Search(q, 50)
			}
		})
	}
}
