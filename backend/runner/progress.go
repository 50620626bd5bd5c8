package runner

import (
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/event"
	"mutsumi/backend/lock"
	"mutsumi/backend/tool"
)

// progressInterval is how often the progress of a call is published at most.
const progressInterval = 250 * time.Millisecond

// maxProgressText bounds what a call says of its progress, in characters.
const maxProgressText = 200

// callProgress publishes how far the calls of a run are, as their tools say: each call now
// and then, with what was said last. It keeps no more than one value for each call that
// works.
type callProgress struct {
	publish func(event.CallProgress)

	mu    lock.Mutex
	calls map[string]*toldProgress // by the model's id for the call
}

type toldProgress struct {
	last    tool.Progress
	at      time.Time // when it was published last
	waiting bool      // it will be published
}

func newCallProgress(publish func(event.CallProgress)) *callProgress {
	return &callProgress{publish: publish, calls: map[string]*toldProgress{}}
}

// note takes what a tool says of a call. It does not block.
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

// tell publishes the progress of a call that still works.
func (c *callProgress) tell(callID string) {
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

// end forgets a call: nothing more is published of it.
func (c *callProgress) end(callID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, callID)
}
