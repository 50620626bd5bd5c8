package promptcache_test

import (
	"testing"
	"time"

	"mutsumi/backend/promptcache"
)

func TestManners(t *testing.T) {
	for _, c := range []struct {
		protocol, host, model string
		kind                  promptcache.Kind
		least                 int
	}{
		{"anthropic", "api.anthropic.com", "claude-sonnet-4-5", promptcache.Marked, 1024},
		{"anthropic", "api.anthropic.com", "claude-opus-4-5-20251101", promptcache.Marked, 4096},
		{"anthropic", "api.anthropic.com", "claude-3-5-haiku-latest", promptcache.Marked, 2048},
		{"chat", "openrouter.ai", "anthropic/claude-haiku-4.5", promptcache.Marked, 4096},
		{"chat", "openrouter.ai", "openai/gpt-5", promptcache.Prefix, 1024},
		{"chat", "openrouter.ai", "mistralai/mistral-large", promptcache.None, 0},
		{"chat", "api.openai.com", "gpt-5", promptcache.Prefix, 1024},
		{"responses", "api.openai.com", "gpt-5", promptcache.Prefix, 1024},
		{"chat", "api.deepseek.com", "deepseek-chat", promptcache.Whole, 0},
		{"anthropic", "api.deepseek.com", "deepseek-chat", promptcache.Whole, 0},
		{"chat", "generativelanguage.googleapis.com", "gemini-2.5-pro", promptcache.Prefix, 1024},
		{"chat", "127.0.0.1", "qwen3", promptcache.Prefix, 0},
		{"chat", "notopenai.com", "gpt-5", promptcache.None, 0},
		{"chat", "openai.com.evil.example", "gpt-5", promptcache.None, 0},
		{"chat", "", "", promptcache.None, 0},
	} {
		if m := promptcache.Of(c.protocol, c.host, c.model); m.Kind != c.kind || m.Least != c.least {
			t.Errorf("%s %s %s: %+v", c.protocol, c.host, c.model, m)
		}
	}
}

func TestExpect(t *testing.T) {
	prefix := promptcache.Manner{Kind: promptcache.Prefix, Least: 1024, Step: 128, Lasts: 5 * time.Minute}
	whole := promptcache.Manner{Kind: promptcache.Whole, Step: 64}
	marked := promptcache.Manner{Kind: promptcache.Marked, Least: 1024}
	for _, c := range []struct {
		name    string
		manner  promptcache.Manner
		begin   promptcache.Beginning
		tokens  int
		expired bool
	}{
		{"whole steps", prefix, promptcache.Beginning{Same: 2000, Last: 3000}, 1920, false},
		{"too little", prefix, promptcache.Beginning{Same: 1023, Last: 3000}, 0, false},
		{"too late", prefix, promptcache.Beginning{Same: 2000, Last: 3000, Ago: 6 * time.Minute}, 0, true},
		{"too little is not too late", prefix, promptcache.Beginning{Same: 20, Last: 3000, Ago: 6 * time.Minute}, 0, false},
		{"nothing was sent", prefix, promptcache.Beginning{Same: 2000, NoneSent: true}, 0, false},
		{"the whole request", whole, promptcache.Beginning{Same: 3000, Last: 3000}, 2944, false},
		{"not the whole request", whole, promptcache.Beginning{Same: 2999, Last: 3000}, 0, false},
		{"up to a breakpoint", marked, promptcache.Beginning{Same: 2999, Last: 3000, Marked: []int{1500, 2500, 3000}}, 2500, false},
		{"before every breakpoint", marked, promptcache.Beginning{Same: 1400, Last: 3000, Marked: []int{1500, 2500, 3000}}, 0, false},
		{"nothing known", promptcache.Manner{Kind: promptcache.None}, promptcache.Beginning{Same: 3000, Last: 3000}, 0, false},
	} {
		if n, expired := c.manner.Expect(c.begin); n != c.tokens || expired != c.expired {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, n, expired, c.tokens, c.expired)
		}
	}
}
