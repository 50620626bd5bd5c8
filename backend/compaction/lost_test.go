package compaction

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/chat"
)

func said(role chat.Role, cell, text string) Message {
	return Message{Message: chat.Message{Role: role, Content: chat.Text(text)}, Cell: cell}
}

// ran is a command with its result.
func ran(cell, id, command string, exit int) []Message {
	call := chat.ToolCall{ID: id}
	call.Function.Name, call.Function.Arguments = "shell", fmt.Sprintf(`{"command":%q}`, command)
	return []Message{
		{Message: chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call}}, Cell: cell},
		{Message: chat.Message{Role: chat.Tool, ToolCallID: id, Content: chat.Text("output")}, Cell: cell, Failed: exit != 0, Exit: exit},
	}
}

func listed(losses []Loss) (out []string) {
	for _, l := range losses {
		s := fmt.Sprintf("%s %s [%s]", l.Kind, l.Text, l.Cell)
		if l.Note != "" {
			s += " " + l.Note
		}
		out = append(out, s)
	}
	return out
}

func TestLostListsWhatTheSummaryDoesNotSay(t *testing.T) {
	covered := []Message{
		said(chat.User, "1", "Never touch the public API of pricing. eu-west-1 first, the other regions next week."),
		said(chat.Assistant, "1", "The cache holds 8192 entries at most; see `pricing/cache.go` and cmd/loadgen/main.go:212.\n- [ ] Ask finance about half cents\n- [ ] Load test again"),
	}
	covered = append(covered, ran("2", "a", "go test -race ./...", 2)...)
	covered = append(covered, ran("2", "b", "go vet ./...", 1)...)
	covered = append(covered, ran("3", "c", "go vet ./...", 0)...)
	covered = append(covered,
		said(chat.Assistant, "3", "ErrBudgetSpent comes from evictLoop at 3f9ab2c. Docs: https://example.org/a?b=1 and 10.0.0.7:8080.\n- [x] Load test again"),
		said(chat.User, "4", "灰度发布前通知值班的人。看 src/文档/说明.md"),
	)
	summary := "Goal: p99 back. **Never touch** the public API of `pricing`. The file pricing/cache.go was changed; evictLoop stays."
	want := []string{
		"todo Ask finance about half cents [1]",
		"command go test -race ./... [2] exit 2",
		"words eu-west-1 first, the other regions next week. [1]",
		"words 灰度发布前通知值班的人。 [4]",
		"words 看 src/文档/说明.md [4]",
		"path src/文档/说明.md [4]",
		"path cmd/loadgen/main.go:212 [1]",
		"address https://example.org/a?b=1 [3]",
		"address 10.0.0.7:8080 [3]",
		"number 8192 [1] entries at most",
		"name ErrBudgetSpent [3]",
		"name 3f9ab2c [3]",
	}
	if got := listed(Lost(covered, summary)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A text that is in the summary in any of these forms is not lost.
func TestWhatCountsAsContained(t *testing.T) {
	for _, c := range []struct{ covered, summary string }{
		{"pricing/cache.go", "changed pricing/cache.go:12:3."},
		{"cache.go", "changed `pricing/cache.go`"},
		{"61,240 tokens", "61240 tokens"},
		{"61240 tokens", "about 61,240"},
		{"Use the retry budget.", "the person: use the **retry budget**!"},
		{"evictLoop", "(evictLoop)"},
	} {
		if got := Lost([]Message{said(chat.User, "1", c.covered)}, c.summary); len(got) > 0 && got[0].Kind != Words {
			t.Errorf("%q in %q: %v", c.covered, c.summary, listed(got))
		}
	}
	for _, c := range []struct{ covered, summary string }{
		{"`cache`", "the cached value"},
		{"1024 bytes", "10245 bytes"},
		{"a/b/c.go", "a/b/c.gone"},
	} {
		if got := Lost([]Message{said(chat.Assistant, "1", c.covered)}, c.summary); len(got) == 0 {
			t.Errorf("%q counts as contained in %q", c.covered, c.summary)
		}
	}
}

func TestKindOf(t *testing.T) {
	for word, want := range map[string]Kind{
		"and/or": "", "either": "", "Hello": "", "e.g": "", "HTTP": "", "x": "", "-race": "", "5": "", "1st": "",
		"./...": "", "/etc": Path, "~/notes": Path, "go.mod": Path, "a/b/c": Path, "main.go:12": Path, "C:\\a\\b": Path, "deploy/canary.yaml": Path,
		"12": Number, "99.9%": Number, "$0.11": Number, "12ms": Number, "1.26.3": Number, "2026-11-23": Number,
		"two_words": Name, "twoWords": Name, "time.Duration": Name, "A_B": Name, "3f9ab2c1": Name, "1234567": Number,
		"me@example.org": Address, "localhost:3000": Address, "file:///a": Address, "127.0.0.1": Address, "127.0.0.1:80": Address,
	} {
		if got := kindOf(word, false); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// conversation is so many bytes of prose, code, paths and output, always the same.
func conversation(bytes int) (all []Message) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the cache of pricing holds what a cart asked for so that loadTest and evictLoop agree with internal/retry/budget.go and 380 ms 价格 缓存")
	for size, cell := 0, 0; size < bytes; cell++ {
		var b strings.Builder
		for b.Len() < 4000 {
			for range 12 {
				b.WriteString(words[r.IntN(len(words))])
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "see pkg%d/file%d.go:%d and value_%d. ", r.IntN(50), r.IntN(4000), r.IntN(900), r.IntN(90000))
			if r.IntN(4) == 0 {
				b.WriteByte('\n')
			}
		}
		role := []chat.Role{chat.User, chat.Assistant, chat.Tool}[cell%3]
		all = append(all, said(role, fmt.Sprint(cell), b.String()))
		size += b.Len()
	}
	return all
}

// BenchmarkLost compares 1 MB of a conversation with a summary of 48 KB. A person
// waits for it: it should take less than 300 ms.
func BenchmarkLost(b *testing.B) {
	all := conversation(1 << 20)
	var summary strings.Builder
	for _, m := range conversation(1 << 20)[:12] {
		summary.WriteString(m.Content.String())
	}
	b.SetBytes(1 << 20)
	for b.Loop() {
		Lost(all, summary.String())
	}
}
