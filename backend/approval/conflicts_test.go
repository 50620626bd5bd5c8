package approval

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/fault"
)

func TestWrites(t *testing.T) {
	d := t.TempDir()
	in := func(names ...string) []string {
		out := []string{}
		for _, n := range names {
			if !strings.HasPrefix(n, "/") {
				n = d + "/" + n
			}
			out = append(out, n)
		}
		return out
	}
	for _, c := range []struct {
		tool, arguments string
		want            []string
	}{
		{"write_file", `{"uri":"a/b.go","content":""}`, in("a/b.go")},
		{"edit_file", `{"uri":"file://` + d + `/a.go"}`, in("a.go")},
		{"write_file", `{"uri":"file:` + d + `/sub/%61.go"}`, in("sub/a.go")},
		{"write_file", `{"uri":"file://localhost` + d + `/a.go"}`, in("a.go")},
		{"shell", `{"command":"echo > a.txt","folder":"file:` + d + `/sub"}`, in("sub/a.txt")},
		{"read_file", `{"uri":"a.go"}`, nil},
		{"mkdir", `{"uri":"a"}`, nil},
		{"shell", `{"command":"go test ./... > out.txt 2>&1"}`, in("out.txt")},
		{"shell", `{"command":"echo x >> a.txt; cat a.txt > /dev/null"}`, in("a.txt")},
		{"shell", `{"command":"sed -i 's/a/b/' x.go y.go"}`, in("s/a/b", "x.go", "y.go")},
		{"shell", `{"command":"sed -n 1,2p x.go"}`, nil},
		{"shell", `{"command":"cp a.go b.go && mv -f c.go d.go"}`, in("b.go", "c.go", "d.go")},
		{"shell", `{"command":"cat x | tee -a log.txt"}`, in("log.txt")},
		{"shell", `{"command":"find . -name '*.go' -exec rm -f a.go ';'"}`, in("a.go")},
		{"shell", `{"command":"sh -c 'echo > in.txt'"}`, in("in.txt")},
		{"shell", `{"command":"cd sub && echo > gone.txt && rm /abs.txt"}`, in("/abs.txt")},
		{"shell", `{"command":"rm $FILE \"$(ls)\" *.go"}`, nil},
		{"shell", `{"command":"git checkout -- a.go"}`, in("a.go")},
		{"shell", `{"command":"git status a.go; dd if=/dev/zero of=disk bs=1"}`, in("disk")},
		{"shell", `{"command":"echo 'unfinished"}`, nil},
		{"shell", `not json`, nil},
	} {
		got := Writes(Call{Tool: c.tool, Arguments: c.arguments, Workspace: d, Roots: []string{d}})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: got %v, want %v", c.tool, c.arguments, got, c.want)
		}
	}
}

// handed asks about a write that was granted, with another agent's hand in it.
func handed(t *testing.T, d *desk, conflicts ...WriteConflict) (Request, chan answer) {
	t.Helper()
	c := d.where
	c.Tool, c.Notebook, c.Arguments = "write_file", "n", `{"uri":"a.go"}`
	if _, err := d.policy.Add(Rule{Tool: "write_file", Pattern: "**", Scope: Agent, Notebook: "n"}); err != nil {
		t.Fatal(err)
	}
	out := make(chan answer, 1)
	go func() {
		got, err := d.inbox.Ask(t.Context(), NewRequest(c, About{Action: "write", Conflicts: conflicts}))
		out <- answer{got, err}
	}()
	synctest.Wait()
	waiting := d.inbox.Pending()
	if len(waiting) != 1 {
		t.Fatalf("%d wait", len(waiting))
	}
	return waiting[0], out
}

func TestAGrantDoesNotCoverAFileUnderSeveralHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		at := time.Now().Add(-12 * time.Second).UnixMilli()
		r, out := handed(t, d, WriteConflict{File: "a.go", Agent: "Other", Notebook: "o", AtMs: at, Running: true})
		if len(r.Warnings) == 0 || r.Warnings[0] != (Warning{RiskConcurrentWrite, "“Other” wrote a.go 12 s ago and is still at work"}) || r.Verdict.Outcome != Ask || !strings.Contains(r.Verdict.Reason, "Other") {
			t.Errorf("%+v", r)
		}
		d.inbox.Recheck()
		if !waits(out) {
			t.Fatal("a second look let it through")
		}
		if err := d.inbox.Resolve(r.ID, Decision{Scope: Agent}); !fault.Is(err, fault.Invalid) {
			t.Errorf("a rejection for ever without a pattern: %v", err)
		}
		if err := d.inbox.Resolve(r.ID, Decision{Allow: true, Scope: Agent}); err != nil {
			t.Fatal(err)
		}
		if got := <-out; !got.Allow || got.Scope != Agent || len(d.policy.Rules()) != 1 {
			t.Errorf("%+v, rules %v", got, d.policy.Rules())
		}
	})
}

func TestADenialWinsOverHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		if _, err := d.policy.Add(Rule{Tool: "write_file", Pattern: "a.go", Deny: true, Scope: Always}); err != nil {
			t.Fatal(err)
		}
		c := d.where
		c.Tool, c.Arguments = "write_file", `{"uri":"a.go"}`
		got, err := d.inbox.Ask(t.Context(), NewRequest(c, About{Conflicts: []WriteConflict{{File: "a.go"}}}))
		if err != nil || got.Allow {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestARequestIsPutAsideAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		hand := WriteConflict{File: "a.go", Agent: "Other", Notebook: "o", AtMs: time.Now().UnixMilli(), Running: true}
		r, out := handed(t, d, hand)
		if err := d.inbox.Hold(r.ID, "Other"); err != nil {
			t.Fatal(err)
		}
		if now := d.inbox.Pending()[0]; now.Held != "Other" || now.ID != r.ID || !waits(out) {
			t.Errorf("held: %+v", now)
		}
		time.Sleep(3 * time.Minute)
		hand.Running = false
		c := d.where
		c.Tool, c.Notebook, c.Arguments = "write_file", "n", `{"uri":"a.go"}`
		if err := d.inbox.Renew(r.ID, NewRequest(c, About{Action: "write", Conflicts: []WriteConflict{hand}, Fails: true})); err != nil {
			t.Fatal(err)
		}
		back := d.inbox.Pending()[0]
		var kinds []string
		for _, w := range back.Warnings {
			kinds = append(kinds, w.Kind)
		}
		if back.Held != "" || back.ID != r.ID || back.AtMs != r.AtMs || back.Warnings[0].Text != "“Other” wrote a.go 3 min ago" || !slices.Contains(kinds, RiskFails) {
			t.Errorf("back: %+v", back)
		}
		if err := d.inbox.Renew(r.ID, NewRequest(c, About{Action: "write"})); err != nil { // no longer another agent's file
			t.Fatal(err)
		}
		if got := <-out; !got.Allow {
			t.Errorf("the grant should apply again: %+v", got)
		}
		if err := d.inbox.Hold(r.ID, "Other"); !fault.Is(err, fault.NotFound) {
			t.Errorf("a request that is gone: %v", err)
		}
	})
}
