// Package openai is the client for every server that speaks the OpenAI chat API: it writes a
// provider.Request as a chat completions request and reads the answer's events (SPEC 7.1). The
// agent loop calls it; the command line makes one for each provider of the settings.
//
// Package exchange handles the exchange itself: connecting, waiting, retrying and wording failures.
// The wire types are go-openai's; the client is our own, because go-openai has no timeouts and no
// retries, hides headers, cannot tell an end from a broken connection, takes any 200 for a stream
// and omits empty fields that servers require.
package openai

import (
	"net/http"
	"net/url"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// Config is the address of a server and how patient to be with it.
type Config = exchange.Config

// Client sends requests to one server.
type Client = exchange.Client

// New makes a client. A BaseURL that is not one is reported by the first call.
func New(cfg Config) *Client { return exchange.New(cfg, wire{}) }

// wire is the chat API. It implements exchange.Protocol.
type wire struct{}

// Endpoint implements exchange.Protocol.
func (wire) Endpoint() string { return "chat/completions" }

// Authorize implements exchange.Protocol.
func (wire) Authorize(h http.Header, key string) { exchange.Bearer(h, key) }

// Parser implements exchange.Protocol.
func (wire) Parser(provider.Request, *url.URL) exchange.Parser { return &stream{calls: calls{}} }

// Outgoing implements exchange.Protocol.
func (wire) Outgoing(req provider.Request, off exchange.Features, server *url.URL) provider.Request {
	req.Messages = outgoing(req.Messages, off, server.Hostname())
	return req
}

// Tool implements exchange.Protocol.
func (wire) Tool(t provider.ToolSpec) ([]byte, error) { return jsontext.Marshal(definition(t)) }

// Call implements exchange.Protocol.
func (wire) Call(c chat.ToolCall) ([]byte, error) { return appendCall(nil, c) }
