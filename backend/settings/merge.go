package settings

import (
	"bytes"
	"strings"

	"mutsumi/backend/linediff"
)

// mergeLines applies the changes of an edit to the person's own text. before and after are yaml's
// output without and with the edit; lines that are the same in both keep their spelling from raw.
// raw and before must correspond line by line, otherwise it returns after.
func mergeLines(raw, before, after []byte) []byte {
	own, old, fresh := splitLines(raw), splitLines(before), splitLines(after)
	if len(own) != len(old) {
		return after
	}
	for i := range own { // the line may be spelt differently, but must mean the same
		if squeeze(own[i]) != squeeze(old[i]) {
			return after
		}
	}
	out, at := make([]string, 0, len(fresh)), 0
	for _, c := range linediff.Changes(old, fresh) {
		out = append(append(out, own[at:c.A0]...), fresh[c.B0:c.B1]...)
		at = c.A1
	}
	return []byte(strings.Join(append(out, own[at:]...), ""))
}

func splitLines(b []byte) []string {
	if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
		b = append(bytes.Clone(b), '\n')
	}
	lines := strings.SplitAfter(string(b), "\n")
	return lines[:len(lines)-1]
}

// squeeze takes out what spelling may differ in: spaces and quotes.
func squeeze(s string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '"' || c == '\'' {
			return -1
		}
		return c
	}, s)
}
