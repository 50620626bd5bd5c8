package runner

import (
	"context"
	"encoding/hex"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/fingerprint"
	"mutsumi/backend/inspect"
	"mutsumi/backend/ledger"
	"mutsumi/backend/notebook"
	"mutsumi/backend/promptcache"
	"mutsumi/backend/provider"
)

// leastMiss is how many tokens fewer than expected a server must read from its cache before the
// person is told: token counts differ a little.
const leastMiss = 1024

// cacheWatch compares what a server read from its cache in the requests of a run with what was
// expected. Only the run's own goroutine uses it.
type cacheWatch struct {
	manner   promptcache.Manner
	begin    promptcache.Beginning // of the next request
	brokenBy string
	before   fingerprint.Print // of the previous request in this run
	sent     time.Time         // when that request was sent
	miss     *notebook.CacheMiss
	missed   *fingerprint.Print // of the run's first request, if it missed the cache
}

// next notes a newly built request, and the previously recorded one.
func (w *cacheWatch) next(last, this inspect.Record) {
	w.begin, w.brokenBy = inspect.Beginning(last, this, time.Now())
	w.before = fingerprint.Print{}
}

// of returns the model, with its requests watched.
func (w *cacheWatch) of(model agent.Model, manner promptcache.Manner) agent.Model {
	w.manner = manner
	if manner.Kind == promptcache.None || !manner.Reports {
		return model
	}
	return watched{model, w}
}

type watched struct {
	agent.Model
	*cacheWatch
}

// Stream implements agent.Model.
func (w watched) Stream(ctx context.Context, req provider.Request, fn func(provider.Chunk) error) error {
	var print fingerprint.Print
	onSend, sent := req.OnSend, time.Now()
	req.OnSend = func(s provider.Sent) {
		print, sent = s.Print, time.Now()
		if onSend != nil {
			onSend(s)
		}
	}
	var usage *chat.Usage
	err := w.Model.Stream(ctx, req, func(c provider.Chunk) error {
		if c.Usage != nil {
			usage = c.Usage
		}
		return fn(c)
	})
	if usage != nil && !usage.Estimated {
		w.answered(print, sent, *usage)
	}
	return err
}

// answered compares the usage of a request with the expectation, and expects the next request to
// continue this one.
func (w *cacheWatch) answered(print fingerprint.Print, sent time.Time, usage chat.Usage) {
	begin := w.begin
	if w.before.Bytes > 0 {
		begin = w.inRun(begin, print, sent)
	}
	expected, _ := w.manner.Expect(begin)
	if w.miss == nil && expected-usage.Cached > max(leastMiss, expected/5) {
		w.miss = &notebook.CacheMiss{
			Expected: expected, Read: usage.Cached, Same: -1, Bytes: print.Bytes, BrokenBy: w.brokenBy, AgoMs: begin.Ago.Milliseconds(),
		}
		if w.before.Bytes > 0 {
			w.miss.Same = sameBytes(w.before, print)
		} else {
			w.missed = &print
		}
	}
	w.before, w.sent, w.brokenBy = print, sent, ""
	w.begin = promptcache.Beginning{Same: usage.Input, Last: usage.Input, Marked: []int{usage.Input}}
}

// inRun returns what a later request of a run shares with the one before. Only the end of the body,
// less than a chunk, may differ.
func (w *cacheWatch) inRun(begin promptcache.Beginning, print fingerprint.Print, sent time.Time) promptcache.Beginning {
	begin.Ago = max(0, sent.Sub(w.sent))
	same, from := w.before.Compare(print)
	if same || from >= (w.before.Bytes-4)/fingerprint.Chunk*fingerprint.Chunk {
		return begin
	}
	begin.Same = int(float64(begin.Last) * float64(max(0, from)) / float64(w.before.Bytes))
	return begin
}

// locate finds, in the record of the notebook's requests, the first byte at which a run's first
// request differs from the last request of an earlier run.
func (w *cacheWatch) locate(file string) {
	if w.miss == nil || w.missed == nil || file == "" {
		return
	}
	all, err := ledger.Read(file, 0)
	if err != nil {
		return
	}
	sum := hex.EncodeToString(w.missed.SHA256[:])
	for i := len(all) - 1; i > 0; i-- {
		if all[i].SHA256 != sum {
			continue
		}
		before := all[i-1].Number
		if all, err = ledger.Read(file, before); err == nil && i <= len(all) && all[i-1].Number == before {
			w.miss.Same = sameBytes(all[i-1].Print(), *w.missed)
		}
		return
	}
}

// sameBytes returns the length of the common beginning of two bodies; -1: unknown.
func sameBytes(a, b fingerprint.Print) int64 {
	same, from := a.Compare(b)
	if same {
		return b.Bytes
	}
	return from
}
