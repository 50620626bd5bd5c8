package workspace_test

import (
	"testing"
	"time"

	"mutsumi/backend/workspace"
)

// How long a run took does not depend on a clock that is set meanwhile.
func TestAClockThatIsSet(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, 400 * 24 * time.Hour} {
		d := open(t, "", "answer\ntext x\nstall")
		path := d.create("Clock")
		cell := d.prompt(path, "go")
		d.run(path, cell, workspace.RunCell)
		d.until(is("delta"))
		d.SetClock(path, by)
		if err := d.Stop(path); err != nil {
			t.Fatal(err)
		}
		d.untilFinished(1)
		_, cells, err := d.Cells(path, []string{cell})
		if err != nil || len(cells) != 1 {
			t.Fatal(err)
		}
		if took := cells[0].Body.Run.TookMs; took < 0 || took > time.Minute.Milliseconds() {
			t.Errorf("the clock was set by %s: the run took %d ms", by, took)
		}
	}
}
