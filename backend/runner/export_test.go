package runner

import (
	"time"

	"mutsumi/backend/agent"
)

// PutBeyond puts a message into the running answer that does not follow what it has.
func (c *Calls) PutBeyond(path string) {
	d, r := c.runner.atWork(path)
	d.put(r, agent.Put{Index: 99})
}

// SetClock is as if the system's clock were set while a run goes on, by so much.
func (c *Calls) SetClock(path string, by time.Duration) {
	d, r := c.runner.atWork(path)
	d.do(func(*Tx) {
		r.startedMs -= by.Milliseconds()
	})
}
