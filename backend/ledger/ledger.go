// Package ledger records the requests of each notebook (SPEC 12.4): the time, model and parameters,
// the fingerprint of the exact body, hashes of the tool definitions and of the inputs of each call,
// and the reported usage. That is enough to determine whether a later request is the same, or from
// which byte it differs. It stores no texts, and nothing of the header, so that no key is in a
// record.
//
// The record of a notebook is a file of JSON lines in the program's state folder, one line when a
// request is sent and one when its answer ended. A line is appended at once: a process that is
// killed leaves complete lines and at most one torn one, which is skipped. Of the chunks of a body
// only those that differ from the previous request are written. A file beyond maxFile loses its
// older half.
//
// Package runner writes it; package preview shows it.
package ledger

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fingerprint"
	"mutsumi/backend/jsontext"
)

// Request is one attempt of a request.
type Request struct {
	Number     int             `json:"number"` // from 1, in the notebook
	Time       time.Time       `json:"time"`
	Cell       string          `json:"cell,omitempty"`
	Attempt    int             `json:"attempt,omitempty"` // from 2: the same request again, after a failure
	Server     string          `json:"server"`            // the provider's name, and its host
	Model      string          `json:"model"`
	Parameters json.RawMessage `json:"parameters"` // the body's members except model, tools and texts
	Bytes      int64           `json:"bytes"`      // of the body
	SHA256     string          `json:"sha256"`     // of the same
	Tools      []Hash          `json:"tools"`      // each definition as encoded in the body

	Answer *Answer `json:"answer,omitempty"` // nil: none came, or the program ended before

	print fingerprint.Print
	end   int // of its line in the file
}

// Hash is a named text.
type Hash struct {
	ID     string `json:"id,omitempty"` // of a call
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Answer is the result of a request.
type Answer struct {
	Took   int64       `json:"tookMs"`
	Model  string      `json:"model,omitempty"` // as the server names it
	Finish string      `json:"finish,omitempty"`
	Error  string      `json:"error,omitempty"` // kind and code of the failure; never its text, which is the server's
	Usage  *chat.Usage `json:"usage,omitempty"` // as reported; nil: not reported
	Calls  []Hash      `json:"calls,omitempty"` // each with the hash of its input
}

// Print is the fingerprint of the body.
func (r Request) Print() fingerprint.Print { return r.print }

// line is a line of the file: one of the two.
type line struct {
	Sent   *sentLine   `json:"sent,omitempty"`
	Answer *answerLine `json:"answer,omitempty"`
}

type sentLine struct {
	Request
	Same   int    `json:"same"`   // number of chunks equal to those of the previous request
	Chunks string `json:"chunks"` // the others, four bytes each, in base64
}

type answerLine struct {
	To int `json:"to"` // the request's number
	Answer
}

// encode writes the line of a request, against the chunks of the one before.
func encode(r Request, before []uint32) ([]byte, error) {
	same := 0
	for same < min(len(before), len(r.print.Chunks)) && before[same] == r.print.Chunks[same] {
		same++
	}
	var raw []byte
	for _, c := range r.print.Chunks[same:] {
		raw = binary.LittleEndian.AppendUint32(raw, c)
	}
	r.Answer = nil
	text, err := jsontext.Marshal(line{Sent: &sentLine{r, same, base64.StdEncoding.EncodeToString(raw)}})
	return append(text, '\n'), err
}

// decode reads the request of a line; before is the previous one in the file, whose chunks it
// shares.
func (s *sentLine) decode(before Request) Request {
	r := s.Request
	r.print.Bytes = r.Bytes
	if sum, err := hex.DecodeString(r.SHA256); err == nil && len(sum) == len(r.print.SHA256) {
		copy(r.print.SHA256[:], sum)
	}
	raw, err := base64.StdEncoding.DecodeString(s.Chunks)
	if err != nil || len(raw)%4 != 0 || s.Same < 0 || s.Same > len(before.print.Chunks) || s.Same > 0 && before.Number != r.Number-1 {
		return r // where it differs from another one is not known
	}
	r.print.Chunks = slices.Grow(before.print.Chunks[:s.Same], len(raw)/4)
	if r.print.Chunks == nil {
		r.print.Chunks = []uint32{}
	}
	for ; len(raw) > 0; raw = raw[4:] {
		r.print.Chunks = append(r.print.Chunks, binary.LittleEndian.Uint32(raw))
	}
	return r
}
