package documents

import (
	"context"
	"errors"
	"testing"
)

// A save that could not begin because another one was in progress says nothing about the text,
// however often that happens: on a slow disk a save takes longer than it is waited for.
func TestUntilKept(t *testing.T) {
	full := errors.New("no room on the disk")
	for _, c := range []struct {
		name   string
		busy   int   // so many saves are refused first
		err    error // of the first save that is not
		keptBy int   // so many saves
		kept   bool
	}{
		{name: "at once", keptBy: 1, kept: true},
		{name: "by the third save", keptBy: 3, kept: true},
		{name: "never", keptBy: 100},
		{name: "after many saves of others", busy: 12, keptBy: 13, kept: true},
		{name: "a full disk", busy: 5, err: full, keptBy: 100},
	} {
		saves := 0
		kept, err := untilKept(t.Context(), func() (bool, error) {
			if saves++; saves <= c.busy {
				return true, nil
			}
			return false, c.err
		}, func() bool { return saves >= c.keptBy })
		if kept != c.kept || !errors.Is(err, c.err) {
			t.Errorf("%s: %v %v after %d saves", c.name, kept, err, saves)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if kept, err := untilKept(ended, func() (bool, error) { return true, nil }, func() bool { return false }); kept || !errors.Is(err, context.Canceled) {
		t.Error(kept, err)
	}
}
