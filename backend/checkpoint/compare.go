package checkpoint

import (
	"slices"

	"mutsumi/backend/fault"
	"mutsumi/backend/linediff"
)

// Compare returns the differences of two texts in hunks, and the numbers of added and removed
// lines. The effort is bounded: for very different texts the diff may be longer than necessary.
func Compare(before, after string) (out []Hunk, added, removed int) {
	out, added, removed = hunks(linediff.Lines(before), linediff.Lines(after))
	return append([]Hunk{}, out...), added, removed
}

// Comparable reports whether the differences of two contents can be shown line
// by line, and why not: "binary" or "large".
func Comparable(before, after []byte) (why string) {
	switch {
	case len(before) > maxDiff || len(after) > maxDiff:
		return "large"
	case !isText(before) || !isText(after):
		return "binary"
	}
	return ""
}

// Without returns the second of two texts with some hunks of Compare, named by their ids, reverted.
// It returns a Conflict if one of them does not exist: the texts are not those that were compared.
func Without(before, after string, ids []string) (string, error) {
	a, b := linediff.Lines(before), linediff.Lines(after)
	all, _, _ := hunks(a, b)
	for i := len(all) - 1; i >= 0; i-- { // from the end, so that earlier lines keep their places
		h := &all[i]
		if at := slices.Index(ids, h.ID); at >= 0 {
			ids = slices.Delete(slices.Clone(ids), at, at+1)
			b = linediff.Lines(h.without(a, b))
		}
	}
	if len(ids) > 0 {
		return "", fault.New(fault.Conflict, "the change differs from the one that was shown: review it again")
	}
	var text []byte
	for _, l := range b {
		text = append(text, l...)
	}
	return string(text), nil
}
