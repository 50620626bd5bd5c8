package runner

import (
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/tool"
)

// progressInterval is the shortest time between two published reports of a call.
const progressInterval = 250 * time.Millisecond

// maxProgressText is the longest text of a progress report, in characters.
const maxProgressText = 200

// callProgress publishes the progress that tools report for the calls of a run: for each call the
// latest report, at intervals. It keeps at most one report per running call.
type callProgress struct {
	publish func(event.CallProgress)

	publishing lock.Mutex // held during publish, which keeps reports in order; taken before mu
	mu         lock.Mutex
	calls      map[string]*toldProgress // by the model's id for the call
}

type toldProgress struct {
	last    tool.Progress
	at      time.Time // when it was last published
	waiting bool      // a publication is scheduled
}

func newCallProgress(publish func(event.CallProgress)) *callProgress {
	return &callProgress{publish: publish, calls: map[string]*toldProgress{}}
}

// note takes a tool's report on a call. It does not block.
func (c *callProgress) note(callID string, p tool.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	told := c.calls[callID]
	if told == nil {
		told = &toldProgress{}
		c.calls[callID] = told
	}
	told.last = p
	if told.waiting {
		return
	}
	told.waiting = true
	time.AfterFunc(max(0, progressInterval-time.Since(told.at)), func() { c.tell(callID) })
}

// tell publishes the progress of a call that still runs.
func (c *callProgress) tell(callID string) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	c.mu.Lock()
	told := c.calls[callID]
	var last tool.Progress
	if told != nil {
		told.waiting, told.at = false, time.Now()
		last = told.last
	}
	c.mu.Unlock()
	if told != nil {
		c.publish(event.CallProgress{CallID: callID, Done: last.Done, Total: last.Total, Text: clip.VisibleLine(last.Text, maxProgressText)})
	}
}

// end forgets a call: nothing more about it is published.
func (c *callProgress) end(callID string) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, callID)
}
