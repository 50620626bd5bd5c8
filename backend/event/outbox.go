package event

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"mutsumi/backend/lock"
)

// Limits of what the Outbox keeps for a disconnected reader. A reader that returns later has to
// reload everything.
const (
	keepEvents = 1 << 13
	keepBytes  = 4 << 20
)

// Outbox numbers events and keeps the last of them for readers, each of which reads at its own
// pace. Emit never blocks on a reader. It is safe for concurrent use.
type Outbox struct {
	mu    lock.Mutex
	first uint64   // number of lines[0]
	next  uint64   // number of the next event
	lines [][]byte // one ndjson line each, with its line break
	bytes int
	wake  chan struct{} // closed and replaced at every Emit

	subscriptions []*Subscription
}

// NewOutbox makes an empty outbox. Numbers start from the clock in milliseconds, so that a number
// from an earlier process is never mistaken for one of this process.
func NewOutbox(now time.Time) *Outbox {
	start := uint64(now.UnixMilli()) + 1
	return &Outbox{first: start, next: start, wake: make(chan struct{})}
}

// Emit numbers e and hands it to every reader. It returns the number.
func (o *Outbox) Emit(e Event) uint64 {
	name, ok := names[reflect.TypeOf(e)]
	if !ok {
		panic(fmt.Sprintf("event %T is not in event.Catalog", e))
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("event %s cannot be written as JSON: %v", name, err))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	seq := o.next
	o.next++
	line := fmt.Appendf(make([]byte, 0, len(data)+48), `{"seq":%d,"type":%q,"data":`, seq, name)
	line = append(append(line, data...), "}\n"...)
	o.lines = append(o.lines, line)
	o.bytes += len(line)
	drop := 0
	for kept := len(o.lines); kept > keepEvents || o.bytes > keepBytes && kept > 1; kept-- {
		o.bytes -= len(o.lines[drop])
		o.lines[drop] = nil
		drop++
	}
	o.lines = o.lines[drop:]
	o.first += uint64(drop)
	close(o.wake)
	o.wake = make(chan struct{})
	for _, s := range o.subscriptions {
		s.offer(e)
	}
	return seq
}

// Seq is the number of the last event emitted. State read under the lock that
// its events are emitted under holds every event up to this number.
func (o *Outbox) Seq() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next - 1
}

// Read returns the lines after number since, at least one of them, waiting
// for it as long as ctx allows. Nil without an error means that ctx ended
// first. ErrGap means that since is not a number this outbox can continue from.
func (o *Outbox) Read(ctx context.Context, since uint64) ([][]byte, error) {
	for {
		o.mu.Lock()
		wake := o.wake
		if since+1 < o.first || since >= o.next {
			o.mu.Unlock()
			return nil, ErrGap
		}
		if n := since + 1 - o.first; n < uint64(len(o.lines)) {
			lines := append([][]byte(nil), o.lines[n:]...)
			o.mu.Unlock()
			return lines, nil
		}
		o.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// ErrGap is returned by Read when events were dropped or belong to another process.
var ErrGap = fmt.Errorf("events are missing: load the state again")

// names maps the type of an event to its name in Catalog.
var names = func() map[reflect.Type]string {
	m := map[reflect.Type]string{}
	for f := range reflect.TypeFor[Catalog]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		m[f.Type.Elem()] = name
	}
	return m
}()
