package folderrules

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/event"
	"mutsumi/backend/settings"
)

// A rule that is written before the folder is watched is reported like a later one.
func TestARuleThatComesBeforeTheWatchIsReported(t *testing.T) {
	t.Parallel()
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder, out := t.TempDir(), event.NewOutbox(time.Now())
	trust := access.NewTrust(folder, store, nil, false, func() bool { return false })
	rules := New(nil, nil, folder, trust, out)
	changed := out.Subscribe(func(e event.Event) bool { _, is := e.(event.ContextChanged); return is })
	defer changed.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	published := make(chan bool, 9)
	rules.Watch(ctx, func(watch func()) {
		dir := filepath.Join(folder, ".mutsumi", "rules")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "first.md"), []byte("Be good."), 0o644); err != nil {
			t.Error(err)
		}
		go watch()
	}, func(always bool) { published <- always })
	if changed.Next(ctx) == nil {
		t.Error("the change of the rules was not reported")
	}
	select {
	case <-published:
	case <-ctx.Done():
		t.Error("the trust was not published")
	}
}
