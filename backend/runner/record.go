package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"maps"
	"slices"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/fault"
	"mutsumi/backend/ledger"
	"mutsumi/backend/provider"
)

// recorder keeps the record of the requests of notebooks (SPEC 12.4).
type recorder struct {
	store *ledger.Store
	file  func(uuid string) string // path of a notebook's record; "": it has none
}

// of returns the model with a record of its requests for a notebook; cell is the cell that is
// answered.
func (rc recorder) of(uuid, cell string, model agent.Model) agent.Model {
	file := rc.file(uuid)
	if file == "" {
		return model
	}
	return recorded{model, rc.store, file, cell}
}

// recorded is a model whose requests are recorded.
type recorded struct {
	agent.Model
	store      *ledger.Store
	file, cell string
}

// Stream implements agent.Model. A record that cannot be written, for example on a full disk, stops
// no request.
func (r recorded) Stream(ctx context.Context, req provider.Request, fn func(provider.Chunk) error) error {
	number, attempt, start := 0, 0, time.Now()
	req.OnSend = func(s provider.Sent) {
		if number > 0 { // the previous attempt had no answer
			r.answered(number, ledger.Answer{Took: time.Since(start).Milliseconds(), Error: "repeated"})
		}
		attempt, start = attempt+1, time.Now()
		number, _ = r.store.Sent(r.file, ledger.Of(s.Head, s.Print, s.Server, req.Model, r.cell, attempt, start))
	}
	var answer ledger.Answer
	calls := map[int]*recordedCall{}
	err := r.Model.Stream(ctx, req, func(c provider.Chunk) error {
		if c.Usage != nil {
			answer.Usage = c.Usage
		}
		if c.Model != "" {
			answer.Model = c.Model
		}
		if c.FinishReason != "" {
			answer.Finish = c.FinishReason
		}
		for _, d := range c.ToolCalls {
			call := calls[d.Index]
			if call == nil {
				call = &recordedCall{input: sha256.New()}
				calls[d.Index] = call
			}
			call.add(d)
		}
		return fn(c)
	})
	if number > 0 {
		answer.Took, answer.Error = time.Since(start).Milliseconds(), codeOf(err)
		for _, i := range slices.Sorted(maps.Keys(calls)) {
			answer.Calls = append(answer.Calls, calls[i].hash())
		}
		r.answered(number, answer)
	}
	return err
}

func (r recorded) answered(number int, a ledger.Answer) {
	_ = r.store.Answered(r.file, number, a)
}

// recordedCall is a call, as far as it has arrived.
type recordedCall struct {
	id, name string
	input    hash.Hash
}

func (c *recordedCall) add(d provider.ToolCallDelta) {
	if d.ID != "" {
		c.id = d.ID
	}
	if d.Name != "" {
		c.name = d.Name
	}
	c.input.Write([]byte(d.Arguments))
}

func (c *recordedCall) hash() ledger.Hash {
	return ledger.Hash{ID: c.id, Name: c.name, SHA256: hex.EncodeToString(c.input.Sum(nil))}
}

// codeOf names a failure without its text, which may hold anything; "": no failure.
func codeOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "stopped"
	}
	f := fault.Of(err)
	if f.Code != "" {
		return string(f.Kind) + " " + f.Code
	}
	return string(f.Kind)
}
