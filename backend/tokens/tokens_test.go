package tokens_test

import (
	"strings"
	"testing"

	"mutsumi/backend/tokens"
)

// The estimate is within a third of the count for prose, code and Chinese.
func TestEstimate(t *testing.T) {
	c := tokens.NewCounter("gpt-4o")
	for name, text := range map[string]string{
		"prose":   strings.Repeat("The agent reads the file and answers the question that the person asked about it. ", 20),
		"code":    strings.Repeat("func (b *build) warn(w Warning) { b.res.Warnings = append(b.res.Warnings, w) }\n", 20),
		"chinese": strings.Repeat("请帮我检查规则文件中的配置是否正确，然后告诉我结果。", 20),
		"json":    strings.Repeat(`{"type":"function","function":{"name":"read_file","arguments":"{}"}},`, 20),
	} {
		exact, estimate := c.Count(text), tokens.Estimate(text)
		if estimate*3 < exact*2 || estimate*3 > exact*4 {
			t.Errorf("%s: estimated %d, counted %d", name, estimate, exact)
		}
	}
}

// The count of a text that comes in pieces is that of the whole text, also
// where a piece ends inside of a letter.
func TestAStreamCountsWhatTheWholeCounts(t *testing.T) {
	text := strings.Repeat("请帮我检查规则文件，然后 tell me what you found in it. 😀\n", 400)
	for _, model := range []string{"gpt-4o", "some-model"} {
		c := tokens.NewCounter(model)
		s := c.Stream()
		for i := 0; i < len(text); i += 7 {
			s.Add(text[i:min(i+7, len(text))])
			if i%7000 == 0 {
				if got, want := s.Tokens(), c.Count(text[:i+7]); got < want-2 || got > want+2 {
					t.Fatalf("%s: %d after %d bytes, %d of the whole", model, got, i+7, want)
				}
			}
		}
		if got, want := s.Tokens(), c.Count(text); got < want || got > want+1 || model == "some-model" && got != want {
			t.Errorf("%s: %d in pieces, %d of the whole", model, got, want)
		}
	}
	var none *tokens.Counter
	s := none.Stream()
	s.Add("hello")
	if n, exact := none.Begin().Text("hello"); n != 2 || exact || s.Tokens() != 2 {
		t.Errorf("without a counter: %d, %v, %d", n, exact, s.Tokens())
	}
}

// A document is counted by its pages or, if unknown, by its bytes.
func TestDocument(t *testing.T) {
	for _, c := range []struct {
		model               string
		pages, bytes, least int
		most                int
	}{
		{"claude-sonnet-4-5", 10, 0, 25_000, 35_000}, {"anthropic/claude-opus-4.5", 1, 0, 2500, 3500},
		{"google/gemini-2.5-pro", 10, 0, 2580, 2580}, {"gpt-4o", 10, 0, 10_000, 20_000},
		{"gpt-4o", 0, 500_000, 10_000, 20_000}, {"gpt-4o", 0, 10, 1000, 2000}, {"", -1, -1, 1000, 2000},
	} {
		if n := tokens.Document(c.model, c.pages, c.bytes); n < c.least || n > c.most {
			t.Errorf("%s: %d pages of %d bytes are %d tokens", c.model, c.pages, c.bytes, n)
		}
	}
}

// Counting eight bytes at a time equals counting one at a time, wherever characters begin.
func FuzzEstimate(f *testing.F) {
	for _, s := range []string{"", "a", "1234567", "12345678", "上下文 value стоп 🎉\n", "é上🎉x\xff\xfe\x80\xc0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var ascii, two, three, four int
		for i := range len(s) {
			switch c := s[i]; {
			case c < 0x80:
				ascii++
			case c >= 0xF0:
				four++
			case c >= 0xE0:
				three++
			case c >= 0xC0:
				two++
			}
		}
		if want, got := (ascii*5+two*10+three*14+four*40+19)/20, tokens.Estimate(s); got != want {
			t.Errorf("%q has %d, not %d", s, got, want)
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	text := strings.Repeat("const 上下文 value stream token \"agent\" notebook context message return import\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Estimate(text)
	}
}
