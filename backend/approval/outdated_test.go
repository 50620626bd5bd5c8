package approval

import (
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/waittest"
)

// asked puts a request of a write into the inbox, and waits until it is there.
func (d *desk) asked(about About) <-chan answer {
	c := d.where
	c.Tool, c.Arguments = "write_file", `{"uri":"a.txt","content":"x"}`
	out := make(chan answer, 1)
	go func() {
		got, err := d.inbox.Ask(d.t.Context(), NewRequest(c, about))
		out <- answer{got, err}
	}()
	waittest.Until(d.t, "it waits for the person", func() bool { return len(d.inbox.Pending()) > 0 })
	return out
}

// A file that changes between the check of what the person saw and the fingerprint that is approved
// makes the decision a conflict.
func TestOnlyWhatWasSeenIsApproved(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	file := "b"
	got := d.asked(About{
		Fingerprint: "a", Refresh: func() {},
		FingerprintOf: func(string) (string, error) { return file, nil },
	})
	id := d.inbox.Pending()[0].ID
	if err := d.inbox.Resolve(id, Decision{Allow: true, Seen: "a"}); !fault.Is(err, fault.Conflict) || !waits(got) || len(d.inbox.Pending()) != 1 {
		t.Fatalf("%v, %d wait", err, len(d.inbox.Pending()))
	}
	file = "a"
	if err := d.inbox.Resolve(id, Decision{Allow: true, Seen: "a"}); err != nil {
		t.Fatal(err)
	}
	if a := <-got; a.err != nil || !a.Allow || a.Fingerprint() != "a" {
		t.Errorf("%+v", a)
	}
}

// The same holds if parts are left out, which gives what is approved another fingerprint than what
// was seen.
func TestOnlyWhatWasSeenIsApprovedWithoutSomeParts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	file, written := "1", true // another program writes the file just before its rest is looked at
	whole, rest := `{"uri":"a.txt","content":"x"}`, `{"uri":"a.txt","content":"rest"}`
	got := d.asked(About{
		Fingerprint: whole + "1", Refresh: func() {},
		FingerprintOf: func(arguments string) (string, error) {
			if arguments == rest && written {
				file = "2"
			}
			return arguments + file, nil
		},
		Without: func(string, []string) (string, string, error) { return rest, "left out", nil },
		Check:   func(string) error { return nil },
	})
	id := d.inbox.Pending()[0].ID
	decision := Decision{Allow: true, Left: []string{"h"}, Seen: whole + "1"}
	if err := d.inbox.Resolve(id, decision); !fault.Is(err, fault.Conflict) || !waits(got) {
		t.Fatalf("%v, %d wait", err, len(d.inbox.Pending()))
	}
	file, written = "1", false
	if err := d.inbox.Resolve(id, decision); err != nil {
		t.Fatal(err)
	}
	if a := <-got; a.err != nil || !a.Allow || a.Fingerprint() != rest+"1" || a.Note() != "left out" {
		t.Errorf("%+v", a)
	}
}
