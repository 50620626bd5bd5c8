package workspace_test

import (
	"fmt"
	"testing"
	"time"

	"mutsumi/backend/workspace"
)

// A clock that is set while an agent works makes no time negative, and none
// that is longer than the work.
func TestTheClockIsSetDuringARun(t *testing.T) {
	hour := time.Hour.Milliseconds()
	for _, jump := range []time.Duration{-time.Hour, 400 * 24 * time.Hour} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			d := open(t, "", "answer\ntext a\nwait set\ntool mkdir {\"uri\":\"made\"}\nanswer\ntext done")
			path := d.create("Clock")
			cell := d.prompt(path, "go")
			d.run(path, cell, workspace.RunCell)
			d.until(is("delta"))
			d.SetClock(path, jump)
			d.server.Let("set")
			d.allow()
			d.untilFinished(1)
			_, cells, err := d.Cells(path, []string{cell})
			if err != nil {
				t.Fatal(err)
			}
			sane := func(what string, ms int64) {
				t.Helper()
				if ms < 0 || ms > hour/2 {
					t.Errorf("%s took %d ms", what, ms)
				}
			}
			sane("the run", cells[0].Body.Run.TookMs)
			for i, m := range cells[0].Body.Answer {
				sane(fmt.Sprint("message ", i), m.TookMs)
			}
			sane("all of it", d.node(path).TimeMs)
		})
	}
}
