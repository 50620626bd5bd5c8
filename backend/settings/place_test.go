package settings

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Two windows of a folder know of different places, and one of them may be
// behind: the later stays, for each notebook.
func TestPlacesOfTwoWindowsAreMerged(t *testing.T) {
	kept := UIState{Window: WindowState{Width: 900}}
	kept.Take(UIState{Places: map[string]Place{"a": {Key: "1", AtMs: 5}, "b": {Key: "2", AtMs: 5}}})
	kept.Take(UIState{Places: map[string]Place{"a": {Key: "3", AtMs: 4}, "b": {AtMs: 6}}, Active: "x"})
	kept.Take(UIState{})
	if kept.Places["a"].Key != "1" || kept.Places["b"].Key != "" || len(kept.Places) != 2 {
		t.Errorf("the places are %v", kept.Places)
	}
	if kept.Window.Width != 900 || kept.Active != "" {
		t.Errorf("the state is %+v", kept)
	}
}

func TestOldestPlacesGo(t *testing.T) {
	kept := UIState{}
	for n := range maxPlaces + 20 {
		kept.Take(UIState{Places: map[string]Place{fmt.Sprint(n): {Key: "k", AtMs: int64(n)}}})
	}
	if n := len(kept.Places); n != maxPlaces {
		t.Fatalf("%d places are kept", n)
	}
	if oldest := slices.Sorted(maps.Keys(kept.Places)); slices.Contains(oldest, "19") || !slices.Contains(oldest, "20") {
		t.Error("others than the oldest went")
	}
}
