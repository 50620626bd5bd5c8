package settings

import (
	"cmp"
	"maps"
	"slices"
)

// Place is where a notebook was left: a block in a cell, and its distance from the top edge of the
// view. The interface makes it and finds it again (frontend/src/lib/ui/place.ts). Without a key it
// is the notebook's end.
type Place struct {
	Key    string  `json:"key"`   // the cell's id
	Index  int     `json:"index"` // of the cell, for when it is gone
	Into   float64 `json:"into"`
	Way    string  `json:"way"`
	Top    float64 `json:"top"`
	Height float64 `json:"height"`
	AtMs   int64   `json:"atMs"`
}

// maxPlaces is the number of notebooks of a folder whose places are stored.
const maxPlaces = 500

// mergePlaces adds a window's places; of two for one notebook the later stays, and beyond the limit
// the oldest are removed.
func mergePlaces(kept, now map[string]Place) map[string]Place {
	merged := maps.Clone(kept)
	for uuid, place := range now {
		if place.AtMs < merged[uuid].AtMs {
			continue
		}
		if merged == nil {
			merged = map[string]Place{}
		}
		merged[uuid] = place
	}
	for len(merged) > maxPlaces {
		delete(merged, slices.MinFunc(slices.Collect(maps.Keys(merged)), func(a, b string) int { return cmp.Compare(merged[a].AtMs, merged[b].AtMs) }))
	}
	return merged
}

// Take takes over a window's state. It does not know its size, and of places only those that
// changed in it.
func (s *UIState) Take(now UIState) {
	now.Window, now.Fresh = s.Window, false
	now.Places = mergePlaces(s.Places, now.Places)
	now.Recent = mergeRecent(now.Recent, s.Recent)
	*s = now
}

// maxChosen is how many choices in the palette are stored.
const maxChosen = 60

// mergeRecent puts a window's choices before the stored ones: windows of one folder do not remove
// each other's.
func mergeRecent(now, kept []string) []string {
	all := []string{}
	for _, entry := range slices.Concat(now, kept) {
		if len(all) < maxChosen && len(entry) < 4096 && !slices.Contains(all, entry) {
			all = append(all, entry)
		}
	}
	return all
}
