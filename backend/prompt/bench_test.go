package prompt_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/prompt"
	"mutsumi/backend/rules"
)

// The workloads are a long conversation (i: 1,000 cells, 200 files of 20 KB), a deep one (ii: 500
// references three deep, 1,500 files of 4 KB) and a hostile one (iv: 20,000 brackets that are never
// closed). The floor of each Build is next to it: reading the same files. BenchmarkContext in
// package cli measures from files to the bytes of the request.

var words = strings.Fields("alpha beta gamma delta function return const value buffer stream token agent notebook context message 上下文 规则 文件 工具 结果 error index array object string number module import export class method async await result request response window panel")

// text makes exactly n bytes of words.
func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for col := 0; b.Len() < n-16; col++ {
		b.WriteString(words[r.IntN(len(words))])
		if col%10 == 9 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	b.WriteString(strings.Repeat(".", max(0, n-b.Len())))
	return b.String()
}

type workload struct {
	in    prompt.Input
	files []string
}

func newWorkload(b *testing.B) (*workload, *rand.Rand) {
	ws, err := filepath.EvalSymlinks(b.TempDir())
	must(b, err)
	w := &workload{in: prompt.Input{
		Workspace: ws, Trusted: true, OS: "linux", Now: time.Now(),
		Meta: prompt.Meta{AllowedURIs: []string{ws}, MacroContext: map[string]string{"BENCH": "1"}},
	}}
	w.file(b, ".mutsumi/rules/default.md", "# Rules\n@{ifdef BENCH}\n- bench rule\n@{endif}\n- be precise\n")
	w.in.Rules, err = rules.List(ws)
	must(b, err)
	return w, rand.New(rand.NewPCG(1, 2))
}

// file writes a file that does not look recent: recently written files are read again to be safe.
func (w *workload) file(b *testing.B, name, text string) {
	p := filepath.Join(w.in.Workspace, filepath.FromSlash(name))
	must(b, os.MkdirAll(filepath.Dir(p), 0o755))
	must(b, os.WriteFile(p, []byte(text), 0o644))
	old := time.Now().Add(-time.Hour)
	must(b, os.Chtimes(p, old, old))
	w.files = append(w.files, p)
}

func longConversation(b *testing.B) *workload {
	w, r := newWorkload(b)
	exts := []string{"ts", "py", "md", "txt", "go"}
	for k := range 200 {
		key := fmt.Sprintf("src/mod%d/file%d.%s", k%20, k, exts[k%len(exts)])
		w.file(b, key, text(r, 20<<10))
		w.in.Meta.ContextItems = append(w.in.Meta.ContextItems, prompt.ContextItem{Type: "file", Key: key})
	}
	add := func(m chat.Message) { w.in.History = append(w.in.History, prompt.HistoryMessage{Message: m}) }
	for c := range 999 {
		add(chat.Message{Role: chat.User, Content: chat.Text(fmt.Sprintf("Question %d: %s", c, text(r, 200)))})
		id := fmt.Sprintf("call_%d", c)
		add(chat.Message{Role: chat.Assistant, Content: chat.Text(text(r, 410)), ToolCalls: []chat.ToolCall{{ID: id, Type: "function", Function: chat.Function{Name: "read_file", Arguments: fmt.Sprintf(`{"uri":"src/file%d.ts"}`, c)}}}})
		add(chat.Message{Role: chat.Tool, ToolCallID: id, Name: "read_file", Content: chat.Text(text(r, 920))})
		add(chat.Message{Role: chat.Assistant, Content: chat.Text(text(r, 410))})
	}
	w.in.Prompt = chat.Text("Current question about @[src/mod0/file0.ts] and @[src/mod1/file1.py:1:50]")
	return w
}

func deepReferences(b *testing.B) *workload {
	w, r := newWorkload(b)
	var refs strings.Builder
	refs.WriteString("Read everything:\n")
	for k := range 500 {
		head := ""
		if k%4 == 0 {
			head = fmt.Sprintf("---\nDescription: \"doc %d\"\nParams: [\"p%d\"]\n---\n", k, k%7)
		}
		w.file(b, fmt.Sprintf("docs/l1/d%d.md", k), fmt.Sprintf("%s%s\n@[docs/l2/d%d.md]\n", head, text(r, 4000), k))
		w.file(b, fmt.Sprintf("docs/l2/d%d.md", k), fmt.Sprintf("%s\n@[docs/l3/d%d.md]\n", text(r, 4000), k))
		w.file(b, fmt.Sprintf("docs/l3/d%d.md", k), text(r, 4096)+"\n")
		fmt.Fprintf(&refs, "@[docs/l1/d%d.md]\n", k)
	}
	w.in.Prompt = chat.Text(refs.String())
	return w
}

func openBrackets(b *testing.B) *workload {
	w, _ := newWorkload(b)
	w.in.Prompt = chat.Text(strings.Repeat("x @[ ", 20000) + "end")
	return w
}

func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(*testing.B) *workload
	}{{"i", longConversation}, {"ii", deepReferences}, {"iv", openBrackets}} {
		b.Run(c.name, func(b *testing.B) {
			w := c.make(b)
			first, err := prompt.Build(b.Context(), w.in)
			must(b, err)
			if len(first.Warnings) > 0 {
				b.Fatal(first.Warnings[0])
			}
			b.Run("floor", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for _, f := range w.files {
						_, err := os.ReadFile(f)
						must(b, err)
					}
				}
			})
			b.Run("first", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					in := w.in
					in.Cache = assemble.NewCache()
					_, err := prompt.Build(b.Context(), in)
					must(b, err)
				}
			})
			b.Run("again", func(b *testing.B) {
				b.ReportAllocs()
				in := w.in
				in.Cache = assemble.NewCache()
				_, err := prompt.Build(b.Context(), in)
				must(b, err)
				reads := in.Cache.Reads()
				for b.Loop() {
					_, err := prompt.Build(b.Context(), in)
					must(b, err)
				}
				if n := in.Cache.Reads() - reads; n > 0 {
					b.Fatalf("%d files were read again", n)
				}
			})
		})
	}
}

// BenchmarkHostile builds prompts of 100 KB that open brackets and never close
// them. Goal: under 50 ms each.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"@[", "{{", "![", "@{", "@[a{\"", "![](", "@{define A, \"", "#define A\n"} {
		b.Run(strings.TrimSpace(unit), func(b *testing.B) {
			w, _ := newWorkload(b)
			w.in.Prompt = chat.Text(strings.Repeat(unit, 100<<10/len(unit)))
			for b.Loop() {
				_, err := prompt.Build(b.Context(), w.in)
				must(b, err)
			}
		})
	}
}
