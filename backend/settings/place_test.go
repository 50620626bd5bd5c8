package settings

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Two windows of a folder know different places, and one may be out of date: for each notebook the
// later stays.
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

func TestWindowsKeepEachOthersChoices(t *testing.T) {
	s := UIState{Recent: []string{"agent a", "file b"}, Closed: []string{"x"}}
	s.Take(UIState{Recent: []string{"file c", "agent a"}, Closed: []string{}})
	if want := []string{"file c", "agent a", "file b"}; !slices.Equal(s.Recent, want) || len(s.Closed) != 0 {
		t.Errorf("kept %v and %v", s.Recent, s.Closed)
	}
	for i := range 100 {
		s.Take(UIState{Recent: []string{fmt.Sprint("file ", i)}})
	}
	if len(s.Recent) != maxChosen || s.Recent[0] != "file 99" {
		t.Errorf("kept %d, first %s", len(s.Recent), s.Recent[0])
	}
}
