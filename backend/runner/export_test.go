package runner

import (
	"time"

	"mutsumi/backend/agent"
)

// PutBeyond puts a message into the running answer at a place that does not follow its last one.
func (c *Calls) PutBeyond(path string) {
	d, r := c.runner.atWork(path)
	d.put(r, agent.Put{Index: 99})
}

// SetClock behaves as if the system's clock were set forward by a duration during a run.
func (c *Calls) SetClock(path string, by time.Duration) {
	d, r := c.runner.atWork(path)
	d.do(func(*Tx) {
		r.startedMs -= by.Milliseconds()
	})
}

// Look checks the disk as a step of the run does, and returns since when the file may hold what the
// notebook lacks.
func (c *Calls) Look(path string) (since time.Time) {
	d, _ := c.runner.atWork(path)
	d.look()
	d.do(func(tx *Tx) { since = tx.looked })
	return since
}
