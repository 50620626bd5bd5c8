package notebook

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
)

// workload returns the text of a notebook of about size bytes, like those of long days: prompts,
// answers with reasoning, tool calls and their results.
func workload(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("alpha beta gamma function return const value buffer stream token agent notebook 上下文 规则 文件 工具 结果 error index array object module \"quoted\" a\\b")
	pool := make([]string, 64)
	for i := range pool {
		var b strings.Builder
		for n := 0; b.Len() < 8000; n++ {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(" \n"[min(n%9/8, 1)])
		}
		pool[i] = b.String()
	}
	text := func(n int) string { return strings.ToValidUTF8(pool[r.IntN(len(pool))][:n], "") }
	var messages [][]byte
	add := func(m Message) int {
		raw := m.encode().raw()
		messages = append(messages, raw)
		return len(raw)
	}
	for n, c := 0, 0; n < size; c++ {
		n += add(Message{Message: chat.Message{Role: chat.User, Content: chat.Text(fmt.Sprintf("Q%d %s", c, text(400)))}})
		for k := range 1 + r.IntN(4) {
			id := fmt.Sprintf("c%d_%d", c, k)
			call := chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: "read_file", Arguments: `{"uri":"f"}`}}
			n += add(Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text(text(1500)), ReasoningContent: text(500), ToolCalls: []chat.ToolCall{call}}})
			n += add(Message{Message: chat.Message{Role: chat.Tool, ToolCallID: id, Name: "read_file", Content: chat.Text(text(8000))}})
		}
		n += add(Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text(text(2000))}})
	}
	d := New("00000000-0000-4000-8000-000000000003", "bench", "", []string{"/ws"}, workloadTime)
	var b bytes.Buffer
	b.WriteString("{\n  \"metadata\": ")
	b.Write(d.meta.text())
	b.WriteString(",\n  \"context\": ")
	b.Write(encodeList(messages, 1))
	b.WriteString("\n}")
	return b.Bytes()
}

var workloadTime = time.Date(2026, 2, 8, 0, 0, 0, 0, time.UTC)

const big = 50 << 20

// BenchmarkFloor50MB reads the same bytes once: nothing can be faster.
func BenchmarkFloor50MB(b *testing.B) {
	data := workload(big)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		maphash.Bytes(hashSeed, data)
	}
}

func BenchmarkParse50MB(b *testing.B) {
	data := workload(big)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := Parse(data)
		if err != nil {
			b.Fatal(err)
		}
		d.View(0, 4)
	}
}

// BenchmarkParseCompact50MB reads a file in another layout, which has to be copied.
func BenchmarkParseCompact50MB(b *testing.B) {
	data := bytes.ReplaceAll(workload(big), []byte("\n"), []byte("\r\n"))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode50MB(b *testing.B) {
	data := workload(big)
	d, err := Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Encoded().WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSave50MB(b *testing.B) {
	data := workload(big)
	d, err := Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	path := b.TempDir() + "/a.mtm"
	b.SetBytes(int64(len(data)))
	var stamp Stamp
	for b.Loop() {
		if stamp, err = Save(path, d.Encoded(), stamp); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadHead50MB(b *testing.B) {
	path := b.TempDir() + "/a.mtm"
	if _, err := Save(path, bytes.NewReader(workload(big)), Stamp{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if h, err := ReadSummary(path); err != nil || h.Problem != "" {
			b.Fatal(err, h)
		}
	}
}

// BenchmarkTypingInto5000Cells types one character into a cell in the middle.
// It must cost the same as BenchmarkTypingInto5Cells.
func BenchmarkTypingInto5000Cells(b *testing.B) { benchmarkTyping(b, 5000) }
func BenchmarkTypingInto5Cells(b *testing.B)    { benchmarkTyping(b, 5) }

func benchmarkTyping(b *testing.B, cells int) {
	d := filled(b, cells)
	id := d.cells.list[cells/2].id
	edits := []Edit{{Kind: EditSetText, Cell: id}}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		edits[0].Text = "text that a person types" + "abcdefghijklmnop"[:n%16]
		if _, err := d.Apply(edits); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPutMessage puts a message of 4 KB, as streaming does several times
// a second, into a notebook of 5,000 cells.
func BenchmarkPutMessage(b *testing.B) {
	d := filled(b, 5000)
	id := d.cells.list[4999].id
	if _, err := d.BeginRun(id, RunInfo{}); err != nil {
		b.Fatal(err)
	}
	m := Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text(strings.Repeat("some text that streams in\n", 160))}}
	b.ReportAllocs()
	for b.Loop() {
		if err := d.PutMessage(id, 0, m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStream200KB is an answer of 200 KB that arrives in pieces of 20
// bytes, saved after every 1,000 of them.
func BenchmarkStream200KB(b *testing.B) {
	d := filled(b, 1)
	id := d.CellIDs()[0]
	if _, err := d.BeginRun(id, RunInfo{Model: "m"}); err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("twenty bytes a piece", 10_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for n := 20; n <= len(text); n += 20 {
			m := Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text(text[:n])}}
			if err := d.PutMessage(id, 0, m); err != nil {
				b.Fatal(err)
			}
			if n%20_000 == 0 {
				d.Encoded().WriteTo(io.Discard)
			}
		}
	}
}

// BenchmarkSnapshot5000Cells measures the part of a save that holds the lock.
func BenchmarkSnapshot5000Cells(b *testing.B) {
	d := filled(b, 5000)
	b.ReportAllocs()
	for b.Loop() {
		d.Encoded()
	}
}

// filled makes a notebook with that many answered prompts.
func filled(tb testing.TB, cells int) *Document {
	d := New("u", "n", "", nil, time.UnixMilli(0))
	for i := range cells {
		c := &cell{id: fmt.Sprint("c", i), rev: d.cells.nextRev(), prompt: newPrompt(chat.User, jsontext.AppendString(nil, fmt.Sprint("prompt ", i)))}
		c.answer = []*message{Message{Message: chat.Message{Role: chat.Assistant, Content: chat.Text("answer")}}.encode()}
		d.cells.list = append(d.cells.list, c)
	}
	d.cells.places = nil
	return d
}
