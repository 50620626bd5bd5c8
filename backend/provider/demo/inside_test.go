package demo

import (
	"go/doc/comment"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// TestPace streams in a bubble, where time is exact.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/chat/completions", nil)
		began := time.Now()
		writeStream(httptest.NewRecorder(), r, request{Model: "demo"}, reply{text: words(600), pace: DefaultPace})
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("600 tokens took %s", took)
		}
	})
}

func TestPieces(t *testing.T) {
	for _, s := range []string{"", "a", "two words", "一段没有空格的中文文字，它也要分开。", strings.Repeat("x", 100), "  \n\n a", "\xff\xfe bad"} {
		got := ""
		for rest := s; rest != ""; {
			n := piece(rest)
			if n <= 0 || utf8.ValidString(s) && !utf8.ValidString(rest[:n]) {
				t.Fatalf("%q: piece of %d bytes", rest, n)
			}
			got, rest = got+rest[:n], rest[n:]
		}
		if got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestFence(t *testing.T) {
	if got := fence("md", "a\n````\nb\n"); got != "`````md\na\n````\nb\n`````\n" {
		t.Error(got)
	}
	if got := inline("a ` b"); got != "`` a ` b ``" {
		t.Error(got)
	}
}

func TestGuideHasItsTopics(t *testing.T) {
	for lang, text := range map[string]string{"en": guideEN, "zh": guideZH} {
		if n := strings.Count("\n"+text, "\n## "); n != len(topics) {
			t.Errorf("%s: %d sections, %d topics", lang, n, len(topics))
		}
	}
}

// TestCommandsAreDocumented compares what /demo lists with the package comment.
func TestCommandsAreDocumented(t *testing.T) {
	src, err := os.ReadFile("server.go")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(src), "\npackage demo")
	var p comment.Parser
	doc := string((&comment.Printer{}).Text(p.Parse(regexp.MustCompile(`(?m)^// ?`).ReplaceAllString(head, ""))))
	rows := regexp.MustCompile("(?m)^\\| `(.+?)` \\| (.+) \\|$").FindAllStringSubmatch(commandList, -1)
	if len(rows) < 10 {
		t.Fatalf("%d commands", len(rows))
	}
	for _, r := range rows {
		if !regexp.MustCompile(regexp.QuoteMeta(r[1]) + ` +` + regexp.QuoteMeta(r[2])).MatchString(doc) {
			t.Errorf("the package comment lacks %s: %s", r[1], r[2])
		}
	}
}

func FuzzTurn(f *testing.F) {
	for _, s := range []string{"", "read README.md", "在 src/ 中搜索 TODO", "find *", "/demo tool", "<content_reference>{}</content_reference>", "search for \"", "@[a"} {
		f.Add(s, "[FILE] README.md\n12:x")
	}
	f.Fuzz(func(t *testing.T, prompt, result string) {
		turn := turn{prompt: prompt, asked: strings.ToLower(prompt)}
		turn.understand()
		for _, tool := range []string{"ls", "glob", "grep", "read_file", "x"} {
			_ = turn.report(exchange{name: tool, args: map[string]any{"uri": prompt}, result: result})
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	r := httptest.NewRequestWithContext(b.Context(), "POST", "/v1/chat/completions", nil)
	text := words(1000)
	b.ReportAllocs()
	for b.Loop() {
		writeStream(httptest.NewRecorder(), r, request{Model: "demo"}, reply{text: text})
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "tokens/s")
}
