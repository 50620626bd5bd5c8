package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/summaries"
)

// From turn to turn, a request begins with the bytes of the previous one up to its prompt, so that
// a server's cache stays good (SPEC 12.3). Adding, changing or removing a rule changes only the
// part that moves with the newest prompt; an edit, a summary or other tools change a request from
// their own place on and not before.
func TestRequestsBeginAsTheOnesBefore(t *testing.T) {
	t.Parallel()
	d := openSummarised(t, "answer always when \"### \"\ntext \"## Goal\\nShort.\"\nanswer always\ntext "+sayings, 0)
	d.write("notes.md", "Notes of the first day.")
	path := d.create("Lasting")
	cells := map[int]string{}
	bodies := map[int]string{}
	// From where on the request of a turn may differ from the previous one: after this text.
	from := func(n int) string {
		switch n {
		case 12:
			return "Turn 9." // the prompt of turn 10 was edited
		case 20:
			return `"role":"system"` // a summary covers everything after it
		case 26:
			return `"tools":[` // other tools
		}
		return fmt.Sprintf("Turn %d.", n-1)
	}
	for n := range 30 {
		switch n {
		case 6:
			d.write(".mutsumi/rules/late.md", "A rule that came late.")
		case 8:
			d.write(".mutsumi/rules/late.md", "A rule that changed.")
		case 12:
			if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: cells[10], Text: "Another prompt 10."}}, ""); err != nil {
				t.Fatal(err)
			}
		case 15:
			d.write("notes.md", "Notes of the second day.")
		case 20:
			d.compact(path, summaries.Wanted{})
		case 26:
			if err := d.SetKind(path, "reviewer"); err != nil {
				t.Fatal(err)
			}
		}
		text := fmt.Sprintf("Turn %d.", n)
		if n == 14 {
			text += " See @[notes.md]."
		}
		cells[n] = d.prompt(path, text)
		d.run(path, cells[n], runner.RunCell)
		d.untilFinished(1)
		all := d.server.Requests()
		bodies[n] = string(all[len(all)-1].Body)
		if n == 0 {
			continue
		}
		end := strings.Index(bodies[n], from(n)) + len(from(n))
		if same := common(bodies[n-1], bodies[n]); end < len(from(n)) || same < end {
			t.Errorf("turn %d: the first %d bytes are those of the previous turn, not the first %d: %.120q", n, same, end, bodies[n][same:])
		}
	}
	if same := common(bodies[24], bodies[25]); same*10 < len(bodies[24])*8 {
		t.Errorf("of %d bytes only %d stay", len(bodies[24]), same)
	}
}

// common returns the length of the common beginning of two texts.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
