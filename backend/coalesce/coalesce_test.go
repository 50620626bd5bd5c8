package coalesce

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/event"
	"mutsumi/backend/provider"
)

// sent is a batch that a batcher sent.
type sent struct {
	delta event.Delta
	whole chat.Message
}

// recorded returns a batcher and a list of the batches sent so far.
func recorded() (b *Batcher, list func() []sent) {
	var mu sync.Mutex
	var all []sent
	b = New(func(d event.Delta, p chat.Message) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, sent{d, p})
	})
	return b, func() []sent {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func whole(text string) chat.Message {
	return chat.Message{Role: chat.Assistant, Content: chat.Text(text)}
}

func TestDeltasAreJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, list := recorded()
		for i := range 100 {
			b.Add(agent.Delta{Text: "x", Reasoning: "y", Whole: whole(strings.Repeat("x", i+1))})
		}
		if n := len(list()); n != 1 {
			t.Fatalf("%d events at once, want the first delta alone", n)
		}
		time.Sleep(interval)
		synctest.Wait()
		if n := len(list()); n != 2 {
			t.Fatalf("%d events after an interval, want 2", n)
		}
		last := list()[1]
		if last.delta.Text != strings.Repeat("x", 99) || last.delta.Reasoning != strings.Repeat("y", 99) || last.whole.Content.String() != strings.Repeat("x", 100) {
			t.Errorf("sent %+v", last)
		}
		time.Sleep(time.Hour)
		if len(list()) != 2 {
			t.Error("something is sent without a delta")
		}
	})
}

func TestTheNextMessageFlushesTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, list := recorded()
		b.Add(agent.Delta{Text: "a", Whole: whole("a")})
		b.Add(agent.Delta{Text: "b", Whole: whole("ab")})
		b.Add(agent.Delta{Index: 1, Text: "c", Whole: whole("c")})
		b.Flush()
		b.Flush() // nothing is left
		var got []string
		for _, s := range list() {
			got = append(got, s.delta.Text+"/"+s.whole.Content.String())
		}
		if want := "a/a b/ab c/c"; strings.Join(got, " ") != want {
			t.Errorf("sent %q, want %s", got, want)
		}
	})
}

func TestFragmentsOfCallsAreJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, list := recorded()
		b.Add(agent.Delta{Text: "now"}) // leaves at once, the rest waits
		fragments := []provider.ToolCallDelta{{Index: 0, ID: "1", Name: "ls", Arguments: "{"}, {Index: 1, ID: "2", Name: "cat"}, {Index: 0, Arguments: "}"}}
		for _, f := range fragments {
			b.Add(agent.Delta{ToolCalls: []provider.ToolCallDelta{f}})
		}
		b.Flush()
		last := list()[len(list())-1]
		if d := last.delta.ToolCalls; len(d) != 2 || d[0].Arguments != "{}" || d[1].Name != "cat" {
			t.Errorf("sent %+v", d)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	batcher := New(func(event.Delta, chat.Message) {})
	for range b.N {
		batcher.Add(agent.Delta{Text: "token "})
	}
}
