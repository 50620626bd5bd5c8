package fork

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/tool"
)

// Short reports stay whole however long the others are; the rest of a long one is in a file, and
// everything together stays within the limit.
func TestReportsAreCutFairly(t *testing.T) {
	var all []Outcome
	for i := range 20 {
		s := Outcome{Child: Child{Name: fmt.Sprintf("# C%d\n## Fake", i), File: "x.mtm"}, State: Finished, Took: 90 * time.Second, Text: fmt.Sprintf("short report %d.", i)}
		if i%2 == 1 {
			s.Text = strings.Repeat(fmt.Sprintf("line of the long report %d\n", i), 4000)
		}
		all = append(all, s)
	}
	env := tool.Env{Scratch: t.TempDir()}
	res := Report(all, env)
	if res.IsError || !res.Bounded || len(res.Content) > tool.DefaultLimit.Bytes || strings.Count(res.Content, "\n") > tool.DefaultLimit.Lines {
		t.Errorf("error %v, %d bytes", res.IsError, len(res.Content))
	}
	if !strings.HasPrefix(res.Content, "20 children: 20 finished.\n\n1. C0 ## Fake: finished, after 1m30s\n") {
		t.Errorf("it begins %.200s", res.Content)
	}
	for i := range 20 {
		if i%2 == 0 && !strings.Contains(res.Content, all[i].Text) {
			t.Errorf("the short report %d was cut", i)
		}
		if i%2 == 1 && strings.Count(res.Content, fmt.Sprintf("line of the long report %d\n", i)) < 20 {
			t.Errorf("little is left of the long report %d", i)
		}
	}
	files, err := os.ReadDir(env.Scratch)
	if err != nil || len(files) != 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	_, after, _ := strings.Cut(res.Content, "All of it is in ")
	file, _, _ := strings.Cut(after, ".]")
	if whole, err := os.ReadFile(file); err != nil || string(whole) != all[1].Text {
		t.Errorf("%s: %d bytes, %v", file, len(whole), err)
	}
	if got := Report(all[1:2], tool.Env{}); !strings.Contains(got.Content, "All of it is in its notebook, x.mtm.") {
		t.Error("without a folder there is no note on the rest")
	}
}

func TestAReportNamesEveryState(t *testing.T) {
	var all []Outcome
	for _, s := range []State{Finished, Silent, Failed, Stopped, Dropped, OverBudget, Limited, Interrupted, Deleted} {
		all = append(all, Outcome{Child: Child{Name: "N"}, State: s, Why: "why " + string(s), Text: "text"})
	}
	res := Report(all, tool.Env{})
	for _, s := range all {
		if strings.Count(res.Content, string(s.State)) < 3 || !strings.Contains(res.Content, s.Why) {
			t.Errorf("%s is not named: %s", s.State, res.Content)
		}
	}
	if res.IsError || !Report(all[2:6], tool.Env{}).IsError {
		t.Error("it is a failure exactly if no child completed")
	}
}
