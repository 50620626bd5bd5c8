package branches

import (
	"encoding/json"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/linediff"
	"mutsumi/backend/notebook"
)

// SamePlace is lines of a file that several sides changed, and what each made of them.
type SamePlace struct {
	Path  string        `json:"path"`
	Line  int           `json:"line"`  // from 1, of a file that all of them wrote whole; 0: not known
	Sides [][]PlaceLine `json:"sides"` // by side; empty for a side that did not change them
}

// PlaceLine is a line of a SamePlace.
type PlaceLine struct {
	Text  string `json:"text"`
	Added bool   `json:"added"`
}

// Bounds of a SamePlace.
const (
	placeLines = 4       // lines that are shown of a side
	placeBytes = 256     // bytes of a line
	maxEdits   = 200     // edits of a side that are looked at
	maxEdited  = 1 << 20 // bytes of an edit that is looked at
)

// edit is a replacement in a file, or its whole content.
type edit struct {
	path     string
	old, new string
	whole    bool
}

// editsOf returns the edits and writes in the calls of a cell.
func (p placed) editsOf(cell notebook.LineCell) (all []edit) {
	for call := range succeeded(cell) {
		name := call.Function.Name
		if name != "edit_file" && name != "write_file" || len(call.Function.Arguments) > maxEdited {
			continue
		}
		var args struct {
			Content string
			Edits   []struct{ Old, New string }
		}
		files := p.written(call)
		if len(files) != 1 || json.Unmarshal([]byte(call.Function.Arguments), &args) != nil {
			continue
		}
		if name == "write_file" {
			all = append(all, edit{path: files[0], new: args.Content, whole: true})
		}
		for _, e := range args.Edits {
			all = append(all, edit{path: files[0], old: e.Old, new: e.New})
		}
	}
	return all
}

// samePlace finds the lines that most of the sides changed; nil where no two changed the
// same.
func samePlace(sides []Side) *SamePlace {
	type line struct{ path, text string }
	touched := map[line]int{} // how many sides changed a line
	var order []line
	for _, s := range sides {
		mine := map[line]bool{}
		for _, e := range last(s.edits) {
			for _, text := range gone(e) {
				at := line{e.path, text}
				if mine[at] {
					continue
				}
				if mine[at] = true; touched[at] == 0 {
					order = append(order, at)
				}
				touched[at]++
			}
		}
	}
	var best line
	for _, at := range order {
		if touched[at] > max(1, touched[best]) {
			best = at
		}
	}
	if best.path == "" {
		return wholeFile(sides)
	}
	place := &SamePlace{Path: best.path, Sides: make([][]PlaceLine, len(sides))}
	for i, s := range sides {
		place.Sides[i] = []PlaceLine{}
		for _, e := range slices.Backward(last(s.edits)) {
			if e.path == best.path && slices.Contains(gone(e), best.text) {
				place.Sides[i] = became(e, best.text)
				break
			}
		}
	}
	return place
}

func last(all []edit) []edit { return all[max(0, len(all)-maxEdits):] }

// gone lists the lines that an edit replaces or removes, except trivial ones.
func gone(e edit) (lines []string) {
	if e.whole {
		return nil
	}
	before, after := linediff.Lines(e.old), linediff.Lines(e.new)
	for _, c := range linediff.Changes(before, after) {
		for _, text := range before[c.A0:c.A1] {
			if text = strings.TrimSpace(text); len(text) > 2 {
				lines = append(lines, text)
			}
		}
	}
	return lines
}

// became returns the lines with which an edit replaced a line, and the lines after them.
func became(e edit, text string) []PlaceLine {
	before, after := linediff.Lines(e.old), linediff.Lines(e.new)
	shown := []PlaceLine{}
	for _, c := range linediff.Changes(before, after) {
		if !slices.ContainsFunc(before[c.A0:c.A1], func(s string) bool { return strings.TrimSpace(s) == text }) {
			continue
		}
		for i := c.B0; i < len(after) && len(shown) < placeLines; i++ {
			shown = append(shown, PlaceLine{Text: shortLine(after[i]), Added: i < c.B1})
		}
		break
	}
	return shown
}

// wholeFile finds a file that several sides wrote whole, and the first lines in which
// they differ.
func wholeFile(sides []Side) *SamePlace {
	written := make([]map[string][]string, len(sides))
	var paths []string
	for i, s := range sides {
		written[i] = map[string][]string{}
		for _, e := range last(s.edits) {
			if !e.whole {
				continue
			}
			written[i][e.path] = linediff.Lines(e.new)
			if !slices.Contains(paths, e.path) {
				paths = append(paths, e.path)
			}
		}
	}
	var place *SamePlace
	most := 1
	for _, path := range paths {
		var texts [][]string
		for i := range sides {
			if text, ok := written[i][path]; ok {
				texts = append(texts, text)
			}
		}
		at := firstDifference(texts)
		if len(texts) <= most || at < 0 {
			continue
		}
		most = len(texts)
		place = &SamePlace{Path: path, Line: at + 1, Sides: make([][]PlaceLine, len(sides))}
		for i := range sides {
			place.Sides[i] = []PlaceLine{}
			text := written[i][path]
			for _, line := range text[min(at, len(text)):min(at+placeLines, len(text))] {
				place.Sides[i] = append(place.Sides[i], PlaceLine{Text: shortLine(line), Added: true})
			}
		}
	}
	return place
}

// firstDifference is the first line that is not the same in all texts, -1 for none.
func firstDifference(texts [][]string) int {
	for i := 0; len(texts) > 1; i++ {
		ended := 0
		for _, text := range texts {
			if i >= len(text) {
				ended++
			} else if i < len(texts[0]) && text[i] != texts[0][i] {
				return i
			}
		}
		if ended == len(texts) {
			break
		}
		if ended > 0 {
			return i
		}
	}
	return -1
}

func shortLine(line string) string { return clip.Bytes(strings.TrimRight(line, "\r\n"), placeBytes) }
