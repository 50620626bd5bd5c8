package agentfiles

import (
	"os"
	"path/filepath"
	"testing"

	"mutsumi/backend/inspect"
)

func TestWhatWasSentIsForgotten(t *testing.T) {
	cache, state := t.TempDir(), t.TempDir()
	s, other := New(cache, filepath.Join(state, "terminal"), "/one"), New(cache, filepath.Join(state, "terminal"), "/two")
	if r := s.Calls().Remembered(); r != (Remembered{}) {
		t.Errorf("%+v", r)
	}
	s.KeepRequest("a", inspect.Record{Model: "m"})
	other.KeepRequest("a", inspect.Record{Model: "m"})
	if err := os.MkdirAll(filepath.Dir(s.Ledger("a")), 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(filepath.Dir(s.Ledger("a")), "keep.txt")
	for _, file := range []string{s.Ledger("a"), foreign} {
		if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := s.Calls().Remembered(); r.Notebooks != 2 || r.Bytes < 10 {
		t.Errorf("%+v", r)
	}
	if err := s.Calls().ForgetSent(); err != nil {
		t.Fatal(err)
	}
	if r := s.Calls().Remembered(); r != (Remembered{}) || s.Request("a").Number != 0 || other.Request("a").Number != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}
