//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"mutsumi/backend/cli"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/request"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// BenchmarkContext measures from files on disk to the bytes of the request (first:
// in a folder just opened, again: the next turn of the same notebook), and
// `mutsumi context --json` to its output: of a long conversation (i: 1,000 prompts,
// 200 files of 20 KB) and of deep references (ii: 500 references three deep, 1,500
// files of 4 KB). The floor reads the same bytes and does nothing else.
func BenchmarkContext(b *testing.B) {
	for _, c := range []struct {
		name string
		make func(b *testing.B, folder string)
	}{{"i", longConversation}, {"ii", deepReferences}} {
		b.Run(c.name, func(b *testing.B) {
			folder := b.TempDir()
			for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
				b.Setenv(name, b.TempDir())
			}
			b.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
			b.Setenv("OPENAI_API_KEY", "k")
			c.make(b, folder)
			b.Run("floor", func(b *testing.B) {
				defer cpu(b)()
				for b.Loop() {
					err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
						if err == nil && !d.IsDir() {
							_, err = os.ReadFile(p)
						}
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("first", func(b *testing.B) {
				b.ReportAllocs()
				var used time.Duration
				for b.Loop() {
					b.StopTimer()
					ws := benchWorkspace(b, folder)
					b.StartTimer()
					used += requestOnce(b, ws)
					b.StopTimer()
					ws.Close()
					b.StartTimer()
				}
				b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
			b.Run("again", func(b *testing.B) {
				b.ReportAllocs()
				ws := benchWorkspace(b, folder)
				defer ws.Close()
				requestOnce(b, ws)
				defer cpu(b)()
				for b.Loop() {
					requestOnce(b, ws)
				}
			})
			b.Run("json", func(b *testing.B) {
				b.ReportAllocs()
				defer cpu(b)()
				for b.Loop() {
					p := cli.Program{
						Args:  []string{"context", filepath.Join(folder, "n.mtm"), "--json", "--trust", "--workspace", folder, "--model", "m"},
						Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: os.Stderr, Rules: fstest.MapFS{}, Kinds: fstest.MapFS{},
					}
					if status := cli.Main(p); status != 0 {
						b.Fatalf("status %d", status)
					}
				}
			})
		})
	}
}

// cpu begins to measure the processor's time, which a busy machine does not
// lengthen, and returns what reports it.
func cpu(b *testing.B) func() {
	start := cpuUsed(b)
	return func() { b.ReportMetric(float64((cpuUsed(b)-start).Microseconds())/1000/float64(b.N), "cpu-ms/op") }
}

func cpuUsed(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchWorkspace(b *testing.B, folder string) *workspace.Workspace {
	b.Helper()
	store, err := settings.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	ws, err := workspace.Open(workspace.Options{
		Folder: folder, Settings: store, CacheDir: b.TempDir(), Trust: true, Quiet: true, Alone: true, Model: "m",
		Connect: func(settings.Endpoint) request.Connection {
			return request.Connection{Model: openai.New(openai.Config{BaseURL: "http://127.0.0.1:9/v1"})}
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	return ws
}

// requestOnce makes the bytes of the next request and returns the processor's time
// that it took.
func requestOnce(b *testing.B, ws *workspace.Workspace) time.Duration {
	b.Helper()
	start := cpuUsed(b)
	v, err := ws.Notebook("n.mtm")
	if err != nil {
		b.Fatal(err)
	}
	body, err := ws.RequestBody(b.Context(), "n.mtm", v.Cells[len(v.Cells)-1].ID, benchPrompt)
	if err != nil || len(body) < 1<<20 {
		b.Fatalf("%d bytes, %v", len(body), err)
	}
	return cpuUsed(b) - start
}

// words is a text of about n bytes in lines.
func words(n int) string {
	const line = "const 上下文 value stream token \"agent\" notebook context message return import\n"
	return strings.Repeat(line, n/len(line))
}

// old writes a file that does not look recent: recently written files are read again.
func old(b *testing.B, folder, name, text string) {
	b.Helper()
	p := filepath.Join(folder, filepath.FromSlash(name))
	then := time.Now().Add(-time.Hour)
	for _, err := range []error{os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644), os.Chtimes(p, then, then)} {
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchNotebook(b *testing.B, folder string, items, context []any) {
	b.Helper()
	text, err := json.MarshalIndent(map[string]any{
		"metadata": map[string]any{"uuid": "11111111-1111-4111-8111-111111111111", "name": "bench", "created_at": "2026-01-01T00:00:00Z", "contextItems": items},
		"context":  context,
	}, "", "  ")
	if err != nil {
		b.Fatal(err)
	}
	old(b, folder, "n.mtm", string(text))
}

type m = map[string]any

// benchPrompt is the prompt of the notebook that was made last.
var benchPrompt string

func longConversation(b *testing.B, folder string) {
	var items, context []any
	for k := range 200 {
		name := fmt.Sprintf("src/mod%d/file%d.%s", k%20, k, []string{"ts", "py", "md", "txt", "go"}[k%5])
		old(b, folder, name, words(20<<10))
		items = append(items, m{"type": "file", "key": name, "content": words(20 << 10)})
	}
	for c := range 999 {
		id := fmt.Sprintf("call_%d", c)
		call := m{"id": id, "type": "function", "function": m{"name": "read_file", "arguments": `{"uri":"a.ts"}`}}
		context = append(context, m{"role": "user", "content": fmt.Sprintf("Question %d: %s", c, words(200))},
			m{"role": "assistant", "content": words(410), "tool_calls": []any{call}},
			m{"role": "tool", "tool_call_id": id, "name": "read_file", "content": words(920)},
			m{"role": "assistant", "content": words(410)})
	}
	benchPrompt = "About @[src/mod0/file0.ts] and @[src/mod1/file1.py:1:50]"
	benchNotebook(b, folder, items, append(context, m{"role": "user", "content": benchPrompt}))
}

func deepReferences(b *testing.B, folder string) {
	refs := "Read everything:\n"
	for k := range 500 {
		old(b, folder, fmt.Sprintf("docs/l1/d%d.md", k), fmt.Sprintf("%s\n@[docs/l2/d%d.md]\n", words(4000), k))
		old(b, folder, fmt.Sprintf("docs/l2/d%d.md", k), fmt.Sprintf("%s\n@[docs/l3/d%d.md]\n", words(4000), k))
		old(b, folder, fmt.Sprintf("docs/l3/d%d.md", k), words(4096))
		refs += fmt.Sprintf("@[docs/l1/d%d.md]\n", k)
	}
	benchPrompt = refs
	benchNotebook(b, folder, nil, []any{m{"role": "user", "content": refs}})
}
