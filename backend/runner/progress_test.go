package runner

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/tool"
)

// The endless reports of a tool are published four times a second, always the latest, and none
// after the call has ended.
func TestProgressIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []event.CallProgress
		c := newCallProgress(func(e event.CallProgress) { got = append(got, e) })
		for n := range 10_000 {
			c.note("a", tool.Progress{Done: float64(n + 1), Total: 10_000, Text: fmt.Sprint("step ", n+1, strings.Repeat("\u202e", 500))})
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(got) < 4 || len(got) > 6 || got[len(got)-1].Done != 10_000 || !strings.HasPrefix(got[len(got)-1].Text, "step 10000<U+202E>") || len(got[0].Text) > 300 {
			t.Errorf("%d events, the last one %+v", len(got), got[len(got)-1])
		}
		n := len(got)
		c.note("a", tool.Progress{Done: 1})
		c.end("a")
		time.Sleep(time.Second)
		synctest.Wait()
		if len(got) != n || len(c.calls) != 0 {
			t.Errorf("%d events of an ended call, %d calls are kept", len(got)-n, len(c.calls))
		}
	})
}

// A call ends after a report of it that is being published, so that none comes after its result.
func TestACallEndsAfterItsLastReport(t *testing.T) {
	begun, order := make(chan struct{}), make(chan string, 2)
	c := newCallProgress(func(event.CallProgress) {
		close(begun)
		time.Sleep(20 * time.Millisecond) // gives an end that does not wait the time to overtake
		order <- "report"
	})
	c.note("a", tool.Progress{Done: 1})
	<-begun
	c.end("a")
	order <- "end"
	if first := <-order; first != "report" {
		t.Errorf("the %s came first", first)
	}
}
