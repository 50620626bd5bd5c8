package settings

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

// Every process adds to what the others stored, and reads what they stored only when it changed.
func TestApprovalsOfSeveralProcesses(t *testing.T) {
	s := store(t, "")
	again, err := Open(s.state + "/..")
	must(t, err)
	a, b := s.Approvals(), again.Approvals()
	read := func(x *Approvals) (text string, told bool) {
		t.Helper()
		must(t, x.Read(func(kept []byte) error { text, told = string(kept), true; return nil }))
		return text, told
	}
	if text, told := read(a); text != "" || !told {
		t.Errorf("at first %q, %v", text, told)
	}
	if _, told := read(a); told {
		t.Error("told of a file that does not exist and has not changed")
	}
	const each = 20
	var all sync.WaitGroup
	for _, x := range []*Approvals{a, b} {
		all.Go(func() {
			for range each {
				err := x.Change(func(kept []byte) ([]byte, func(), error) {
					n := strings.Count(string(kept), "1")
					return []byte("[0" + strings.Repeat(",1", n+1) + "]"), func() {}, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, x := range []*Approvals{a, b} {
		if text, told := read(x); strings.Count(text, "1") != 2*each || !told {
			t.Errorf("%d of %d changes are left, told %v", strings.Count(text, "1"), 2*each, told)
		}
		if _, told := read(x); told {
			t.Error("told of no change")
		}
	}
	must(t, os.WriteFile(a.file(), []byte("{"), 0o600))
	if text, told := read(a); text != "{" || !told {
		t.Errorf("got %q, %v", text, told)
	}
	refused := errors.New("refused")
	err = a.Change(func([]byte) ([]byte, func(), error) { return nil, nil, refused })
	if raw, _ := os.ReadFile(a.file()); !errors.Is(err, refused) || !bytes.Equal(raw, []byte("{")) {
		t.Errorf("%v, %q", err, raw)
	}
	must(t, os.Remove(a.file()))
	if text, told := read(a); text != "" || !told {
		t.Errorf("removed: %q, %v", text, told)
	}
}
