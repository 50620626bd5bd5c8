package unsaved_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/unsaved"
)

func TestATextIsKeptUntilItIsDropped(t *testing.T) {
	store := unsaved.Store{Dir: filepath.Join(t.TempDir(), "unsaved")}
	if all, err := store.In("/ws"); len(all) != 0 || err != nil {
		t.Fatalf("before anything was kept: %v, %v", all, err)
	}
	kept, err := store.Put("/ws/a.mtm", strings.NewReader("first"), unsaved.Text{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = store.Put("/ws/a.mtm", strings.NewReader("second"), kept); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put("/ws2/b.mtm", strings.NewReader("other"), unsaved.Text{}); err != nil {
		t.Fatal(err)
	}
	all, err := store.In("/ws")
	if err != nil || len(all) != 1 || all[0].Of != "/ws/a.mtm" || all[0].AtMs == 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	if b, err := os.ReadFile(store.File(all[0])); err != nil || string(b) != "second" {
		t.Errorf("%q, %v", b, err)
	}
	if err := store.Drop(all[0]); err != nil {
		t.Fatal(err)
	}
	if all, err := store.In("/ws"); len(all) != 0 || err != nil {
		t.Errorf("after it was dropped: %v, %v", all, err)
	}
}

// Two programs each store a text of one notebook.
func TestTwoTextsOfOneNotebook(t *testing.T) {
	store := unsaved.Store{Dir: t.TempDir()}
	for _, text := range []string{"mine", "yours"} {
		if _, err := store.Put("/ws/a.mtm", strings.NewReader(text), unsaved.Text{}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := store.In("/ws"); len(all) != 2 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}
