// Package provider defines requests to a model's server and its answers, independently of the
// server. Clients are in packages below it: openai (the real one), demo (the built-in offline
// model, reached through the same client).
//
// It is not the loop (package agent) and holds no settings: a client's creator passes it an
// endpoint and a key.
package provider

import (
	"encoding/json"
	"maps"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fingerprint"
)

// Request is one request to a model. Messages are sent as they are; repairing
// them (SPEC 1.5) is the caller's.
type Request struct {
	Model           string
	Messages        []chat.Message
	Tools           []ToolSpec
	MaxTokens       int      // 0: the server's default
	Temperature     *float64 // nil: the server's default
	ReasoningEffort string   // "", "minimal", "low", "medium", "high"
	MarkCache       bool     // the server caches only beginnings that the request marks
	CacheKey        string   // the same for requests that begin alike, so that they meet one cache; "": none

	// OnSend is called before each attempt with the data to send. It must be quick. May be nil.
	OnSend func(Sent)

	// SkipWait ends the wait before a retry when it receives: the retry is sent immediately. May be
	// nil.
	SkipWait <-chan struct{}
}

// Sent is the data that an attempt of a request sends.
type Sent struct {
	Server string            // its name and host, for a person
	Head   []byte            // the body up to its messages
	Print  fingerprint.Print // of the whole body
}

// Wire is a client that can show what it would send, so that a person can look at it first. It
// shows exactly what Stream's first attempt sends.
type Wire interface {
	Outgoing(Request) Request           // the request without the parts that this server does not accept
	Tool(ToolSpec) ([]byte, error)      // a tool as encoded in the body
	Call(chat.ToolCall) ([]byte, error) // a call of an answer as encoded in the body
	Body(Request) ([]byte, error)       // the whole text of the request
}

// ToolSpec describes a tool to a model. Parameters is a JSON schema.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Chunk is one step of an answer. Unused fields are zero; several may be set at once.
type Chunk struct {
	Text         string
	Reasoning    string
	ToolCalls    []ToolCallDelta
	FinishReason string      // set once, in the last chunk of a whole answer: stop, length, tool_calls, content_filter
	Usage        *chat.Usage // set at most once; nil for a server that reports none
	Model        string      // the model's name as sent by the server
	Kept         *chat.Kept  // items that the model wants back with this answer, in addition to earlier ones
	Wait         *Wait       // the client waits before it tries again (SPEC 7.2)
}

// ToolCallDelta is a fragment of a tool call. Fragments of one call share Index; ID and Name come
// with the first one and are not empty; Arguments are to be joined.
type ToolCallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
	Extra     map[string]json.RawMessage // chat.ToolCall.Extra; later members replace earlier ones of the same name
}

// WithExtra adds more to the members of a call. Neither map is changed.
func WithExtra(have, more map[string]json.RawMessage) map[string]json.RawMessage {
	if len(more) == 0 {
		return have
	}
	if len(have) == 0 {
		return more
	}
	all := maps.Clone(have)
	maps.Copy(all, more)
	return all
}

// Wait reports that a failed attempt will be repeated. When the wait ends, or is skipped, another
// Wait with a zero Until follows: the next attempt is sent as soon as emit returns.
type Wait struct {
	Attempt int       // the attempt that failed, from 1
	Until   time.Time // when the next one is sent; zero: now
	Reason  string    // for a person: "429 Too Many Requests", "connection refused"
}
