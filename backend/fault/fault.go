// Package fault holds the errors that somebody branches on: the interface, the
// command line's exit status, the retry loop. Every other error stays an
// ordinary wrapped error and reaches the interface as Internal.
//
// It knows nothing of the rest of the program; every package may import it.
package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Kind is what a caller can do about an error.
type Kind string

const (
	Invalid  Kind = "invalid"  // the input is wrong; the message says where and how to fix it
	NotFound Kind = "notFound" // the requested thing does not exist
	Denied   Kind = "denied"   // outside what the agent or the person may touch
	Conflict Kind = "conflict" // the thing changed since it was read
	Canceled Kind = "canceled" // somebody stopped it
	Provider Kind = "provider" // the model's server failed; Code says how
	Internal Kind = "internal" // everything else
)

// Error is an error with a kind. Code is set where the interface offers a way
// out of its own (see the Code constants); Message is a full sentence for a
// person: what happened, why, and what to do.
type Error struct {
	Kind    Kind   `json:"kind"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	// Said is the message with separate fields, for another language (SPEC 16.3); nil for one
	// without fields.
	Said  Said `json:"said,omitempty"`
	cause error
}

// Codes of Provider errors: each has its own message and its own way out.
const (
	CodeKeyMissing     = "keyMissing"     // no key is set for the provider
	CodeKeyRejected    = "keyRejected"    // 401, 403
	CodeModelUnknown   = "modelUnknown"   // 404 for the model
	CodeContextTooLong = "contextTooLong" // the request is larger than the model takes
	CodeRateLimited    = "rateLimited"    // 429 after all retries
	CodeUnreachable    = "unreachable"    // no connection, DNS, TLS, timeouts before the first byte
	CodeServer         = "server"         // 5xx after all retries
	CodeBadRequest     = "badRequest"     // any other 4xx: the server's own words are in the message
	CodeNotAStream     = "notAStream"     // a 200 whose body is not an event stream
	CodeStreamBroken   = "streamBroken"   // the stream ended without a finish reason, stalled or was reset
	CodeStreamError    = "streamError"    // the server sent an error inside the stream
)

// CodeOutside is the code of a Denied error: the path is outside the folders
// that the notebook allows, and the person could allow its folder.
const CodeOutside = "outside"

// New makes an error of a kind with a message for a person.
func New(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Said: Say(format, args...).withFields(), cause: errors.Unwrap(err)}
}

// WithCode returns a copy of e that carries code.
func (e *Error) WithCode(code string) *Error {
	c := *e
	c.Code = code
	return &c
}

// Because returns a copy of e that wraps cause, for errors.Is.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.cause }

// Of returns err as an *Error: the one in its chain, with the text of the whole chain, or a new one
// (Canceled for a cancelled context, otherwise Internal). nil stays nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Message == err.Error() {
			return e
		}
		return &Error{Kind: e.Kind, Code: e.Code, Message: err.Error(), Said: of(err).withFields(), cause: err}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Kind: Canceled, Message: "stopped", cause: err}
	}
	return &Error{Kind: Internal, Message: err.Error(), Said: of(err).withFields(), cause: err}
}

// Is reports whether err carries kind.
func Is(err error, kind Kind) bool {
	e := Of(err)
	return e != nil && e.Kind == kind
}

// JSON is the form in which an error is sent to the interface: {"kind","code","message"}, as a
// string because Wails wraps it in `new Error(...)`.
func JSON(err error) string {
	b, marshalErr := json.Marshal(Of(err))
	if marshalErr != nil {
		return `{"kind":"internal","message":"an error that cannot be shown"}`
	}
	return string(b)
}
