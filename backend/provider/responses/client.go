// Package responses is the client for servers that speak OpenAI's Responses API: it writes a
// provider.Request as a list of input items and reads the answer's events. The server stores
// nothing: every request has the whole conversation, and encrypted reasoning is kept and sent back
// to the model that made it (SPEC 12.1).
//
// Package exchange handles the exchange itself: connecting, waiting, retrying and wording failures.
package responses

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

// wire is the Responses API. It implements exchange.Protocol.
type wire struct{}

// Endpoint implements exchange.Protocol.
func (wire) Endpoint() string { return "responses" }

// Authorize implements exchange.Protocol.
func (wire) Authorize(h http.Header, key string) { exchange.Bearer(h, key) }

// Parser implements exchange.Protocol.
func (wire) Parser(req provider.Request, server *url.URL) exchange.Parser {
	return &stream{maker: maker(server, req.Model), items: map[int]*item{}}
}

// Tool implements exchange.Protocol.
func (wire) Tool(t provider.ToolSpec) ([]byte, error) { return appendTool(nil, t) }

// Call implements exchange.Protocol.
func (wire) Call(c chat.ToolCall) ([]byte, error) { return appendCall(nil, c), nil }

func maker(server *url.URL, model string) string { return exchange.Maker("responses", server, model) }

// Parts of a request that some servers and models refuse.
const (
	encryptedReasoning exchange.Features = 1 << iota // include: reasoning that can be sent back
	summary                                          // thoughts as a summary
	effort                                           // how much the model thinks
	temperature
	cacheKey // prompt_cache_key
	phases   // which part of an answer a message was
)

// Refused implements exchange.Protocol.
func (wire) Refused(said string, off exchange.Features) exchange.Features {
	for _, x := range []struct {
		feature exchange.Features
		word    string
	}{
		{cacheKey, "prompt_cache_key"},
		{encryptedReasoning, "encrypted content"}, {encryptedReasoning, "encrypted_content"}, {encryptedReasoning, "'include'"},
		{summary, "reasoning summar"}, {summary, "reasoning.summary"},
		{temperature, "temperature"},
		{phases, "phase"},
		{effort, "reasoning.effort"}, {effort, "'reasoning'"},
	} {
		if off&x.feature == 0 && strings.Contains(said, x.word) {
			return x.feature
		}
	}
	return 0
}
