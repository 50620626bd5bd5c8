// Package anthropic is the client for servers that speak Anthropic's Messages API: it writes a
// provider.Request as a Messages request and reads the answer's events. Thoughts are kept with
// their signature and go back to the model that made them (SPEC 12.1).
//
// Package exchange handles the exchange itself: connecting, waiting, retrying and wording failures.
package anthropic

import (
	"net/http"
	"net/url"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// New makes a client. A BaseURL that is not one is reported by the first call.
func New(cfg exchange.Config) *exchange.Client { return exchange.New(cfg, wire{}) }

// version is the API version that the package implements.
const version = "2023-06-01"

// wire is the Messages API. It implements exchange.Protocol.
type wire struct{}

// Endpoint implements exchange.Protocol.
func (wire) Endpoint() string { return "messages" }

// Authorize implements exchange.Protocol. Other vendors' servers with the same protocol expect the
// key where the chat API has it.
func (wire) Authorize(h http.Header, key string) {
	h.Set("Anthropic-Version", version)
	if key != "" {
		h.Set("X-Api-Key", key)
		exchange.Bearer(h, key)
	}
}

// Parser implements exchange.Protocol.
func (wire) Parser(req provider.Request, server *url.URL) exchange.Parser {
	return &stream{maker: maker(server, req.Model), blocks: map[int]*block{}}
}

// Tool implements exchange.Protocol.
func (wire) Tool(t provider.ToolSpec) ([]byte, error) { return appendTool(nil, t) }

// Call implements exchange.Protocol.
func (wire) Call(c chat.ToolCall) ([]byte, error) { return appendCall(nil, c) }

func maker(server *url.URL, model string) string { return exchange.Maker("anthropic", server, model) }

// Parts of a request that some servers and models refuse.
const (
	automaticCache   exchange.Features = 1 << iota // cache_control of the whole request
	cacheBreakpoints                               // cache_control of a block
	adaptiveThinking                               // thinking as the model sees fit, with an effort
	thinkingBudget                                 // thinking with a number of tokens
	thinkingDisplay                                // thoughts as a summary
	effortLevel                                    // output_config
	temperature
	longAnswer   // as many tokens for an answer as newer models take
	middleAnswer // as many as those before them take
)

// Refused implements exchange.Protocol.
func (wire) Refused(said string, off exchange.Features) exchange.Features {
	for _, x := range []struct {
		feature exchange.Features
		words   []string // all of them
	}{
		{longAnswer, []string{"max_tokens", "maximum allowed"}}, {middleAnswer, []string{"max_tokens", "maximum allowed"}},
		{temperature, []string{"temperature", "deprecated"}}, {temperature, []string{"temperature", "not supported"}}, {temperature, []string{"temperature", "may only be set to 1"}},
		{thinkingBudget, []string{"thinking.type.enabled"}},
		{thinkingDisplay, []string{"display"}},
		{effortLevel, []string{"output_config"}}, {effortLevel, []string{"effort"}},
		{thinkingBudget, []string{"budget_tokens"}},
		{adaptiveThinking, []string{"adaptive"}},
		{thinkingBudget | adaptiveThinking, []string{"thinking", "not supported"}}, {thinkingBudget | adaptiveThinking, []string{"thinking", "extra inputs"}},
		{automaticCache, []string{"cache_control"}}, {cacheBreakpoints, []string{"cache_control"}},
	} {
		fits := off&x.feature != x.feature
		for _, word := range x.words {
			fits = fits && strings.Contains(said, word)
		}
		if fits {
			return x.feature
		}
	}
	return 0
}
