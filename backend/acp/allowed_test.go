package acp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/waittest"
)

var errNotHere = fault.New(fault.Denied, "not here")

// neverWorked checks that no process answers the notebook, and that nothing is said against the agent.
func (w *world) neverWorked() {
	w.Helper()
	w.agents.place("n").state.Do(func(s *placeState) {
		if s.conn != nil || s.link != nil {
			w.Error("its process runs")
		}
	})
	if all, err := w.agents.Calls().ACPAgents(); err != nil || all[0].State != Ready || all[0].Problem != "" {
		w.Errorf("%+v %v", all[0], err)
	}
}

// An agent that may not work does not start, or ends at once where that is known only when it runs.
func TestNotAllowed(t *testing.T) {
	t.Parallel()
	for yes := range 2 {
		w := newWorld(t, "marks")
		asked := 0
		w.want(w.ask("say x", func(t *Turn) {
			t.Allowed = func(context.Context) error {
				if asked++; asked > yes {
					return errNotHere
				}
				return nil
			}
		}), "failed: not here")
		w.neverWorked()
		if _, err := os.Stat(filepath.Join(w.dir, "started")); yes == 0 && err == nil {
			t.Error("it started")
		}
	}
}

// DropAll ends an agent that is starting, and the turn says why.
func TestDropAllWhileAnAgentStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "silent")
	var gone atomic.Bool
	ended := make(chan answered)
	go func() {
		ended <- w.ask("say x", func(t *Turn) {
			t.Allowed = func(context.Context) error {
				if gone.Load() {
					return errNotHere
				}
				return nil
			}
		})
	}()
	waittest.Until(t, "its process runs", func() (runs bool) {
		w.agents.place("n").state.Do(func(s *placeState) { runs = s.conn != nil })
		return runs
	})
	gone.Store(true)
	w.agents.DropAll()
	w.want(<-ended, "failed: not here")
	w.neverWorked()
}

// The host hears that a call ended before the agent may continue, and only of calls of which the
// agent says that.
func TestEndsOfCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var then [][]string
	w.ask("call a edit A\ncall b edit B\ndone b of b\nfailed a of a\ncall c edit C\ndone c of c\nupdate {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"completed\"}\ncall d edit D\nbegin d", func(t *Turn) {
		t.NextStep = func() bool {
			w.host.ended.Do(func(all *[]string) { then = append(then, slices.Clone(*all)) })
			return true
		}
	})
	w.host.ended.Do(func(all *[]string) { then = append(then, *all) })
	want := [][]string{{"b", "a"}, {"b", "a", "c"}, {"b", "a", "c"}}
	if !slices.EqualFunc(then, want, slices.Equal) {
		t.Errorf("the ends are %q, want %q", then, want)
	}
}
