// Package promptcache models how a server reuses the beginning of a request that it has read before
// (SPEC 12.3), and how many tokens of a request it can be expected to read from its cache. It knows
// servers by their protocol and host, and models by their name; it sends nothing. The preview and
// the runner ask it.
package promptcache

import (
	"strings"
	"time"
)

// Manner is how a server caches the beginnings of requests to a model.
type Manner struct {
	Kind  Kind
	Least int           // tokens below which nothing is cached
	Step  int           // cached tokens are a multiple of it; 0: any number
	Lasts time.Duration // how long a beginning is kept after it was last used, at least

	Reports bool // whether the server reports tokens read from its cache
}

// Kind is the kind of comparison that a server makes.
type Kind string

// The kinds of caches.
const (
	Marked Kind = "marked" // beginnings that the request marks with breakpoints
	Prefix Kind = "prefix" // the common prefix of two requests
	Whole  Kind = "whole"  // the whole request before, with or without its answer
	None   Kind = "none"   // nothing is cached, or nothing is known of it
)

// anthropic is a protocol, as the settings name it.
const anthropic = "anthropic"

// Of returns the manner of a model on a server, by its protocol, "chat", "responses" or
// "anthropic", its host, and the model's name there. The figures are those that the makers publish.
func Of(protocol, host, model string) Manner {
	model = strings.ToLower(model)
	host = strings.ToLower(host)
	claude := strings.Contains(model, "claude")
	on := func(domains ...string) bool {
		for _, d := range domains {
			if host == d || strings.HasSuffix(host, "."+d) {
				return true
			}
		}
		return false
	}
	switch {
	case protocol == anthropic && (claude || on("anthropic.com")), claude && on("openrouter.ai"):
		return Manner{Kind: Marked, Least: leastOfClaude(model), Lasts: 5 * time.Minute, Reports: true}
	case strings.Contains(model, "deepseek") && on("deepseek.com", "openrouter.ai"):
		return Manner{Kind: Whole, Step: 64, Lasts: time.Hour, Reports: true}
	case on("openai.com", "azure.com"), on("openrouter.ai") && (strings.HasPrefix(model, "openai/") || strings.HasPrefix(model, "x-ai/")):
		return Manner{Kind: Prefix, Least: 1024, Step: 128, Lasts: 5 * time.Minute, Reports: true}
	case on("googleapis.com"), on("openrouter.ai") && strings.HasPrefix(model, "google/gemini"):
		return Manner{Kind: Prefix, Least: 1024, Lasts: 3 * time.Minute, Reports: true}
	case on("x.ai", "moonshot.ai", "moonshot.cn", "bigmodel.cn", "z.ai"):
		return Manner{Kind: Prefix, Least: 256, Lasts: 5 * time.Minute, Reports: true}
	case on("groq.com", "fireworks.ai", "together.xyz"):
		return Manner{Kind: Prefix, Least: 128, Lasts: 5 * time.Minute}
	case local(host):
		return Manner{Kind: Prefix, Lasts: 5 * time.Minute} // llama.cpp, Ollama and vLLM cache the beginning of the last request
	}
	return Manner{Kind: None}
}

// Chosen is the manner of a server for which the settings choose a kind; ok is false for "" and
// other texts.
func Chosen(kind string) (m Manner, ok bool) {
	switch k := Kind(kind); k {
	case Marked:
		return Manner{Kind: k, Reports: true}, true
	case Prefix, Whole:
		return Manner{Kind: k, Reports: true}, true
	case None:
		return Manner{Kind: k}, true
	}
	return Manner{}, false
}

// leastOfClaude is the least number of tokens that is cached. Names are written with
// dashes or points: claude-haiku-4-5, claude-haiku-4.5.
func leastOfClaude(model string) int {
	model = strings.ReplaceAll(model, ".", "-")
	for _, c := range []struct {
		name  string
		least int
	}{
		{"haiku-4-5", 4096}, {"opus-4-5", 4096}, {"opus-4-6", 4096}, {"opus-4-7", 4096}, {"3-5-haiku", 2048}, {"3-haiku", 2048}, {"opus-5", 512},
	} {
		if strings.Contains(model, c.name) {
			return c.least
		}
	}
	return 1024
}

// local reports whether a host is this machine or its network.
func local(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") {
		return true
	}
	for _, p := range []string{"127.", "10.", "192.168.", "[::1]", "::1"} {
		if strings.HasPrefix(host, p) {
			return true
		}
	}
	return false
}

// Beginning is what a request shares with the previous one.
type Beginning struct {
	Same     int   // tokens that both begin with
	Last     int   // tokens of the whole request before
	Marked   []int // tokens before each breakpoint of the request before, ascending; of Marked
	Ago      time.Duration
	NoneSent bool // there was no request before
}

// Expect returns how many tokens of a request the server can be expected to read from
// its cache, and whether the cache has expired by then.
func (m Manner) Expect(b Beginning) (tokens int, expired bool) {
	if b.NoneSent || m.Kind == None {
		return 0, false
	}
	switch m.Kind {
	case Prefix:
		tokens = b.Same
	case Whole:
		if b.Same >= b.Last {
			tokens = b.Same
		}
	case Marked:
		for _, at := range b.Marked {
			if at <= b.Same {
				tokens = max(tokens, at)
			}
		}
	}
	if m.Step > 1 {
		tokens -= tokens % m.Step
	}
	if tokens < m.Least {
		return 0, false
	}
	if m.Lasts > 0 && b.Ago > m.Lasts {
		return 0, true
	}
	return tokens, false
}
