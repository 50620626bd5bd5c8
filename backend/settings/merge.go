package settings

import (
	"bytes"
	"strings"
)

// mergeLines carries what an edit changed over to the text as the person wrote
// it. before and after are what yaml.v3 writes without and with the edit; the
// lines that are the same in both keep their own spelling from raw. It needs
// raw and before to stand line by line, else after is what there is.
func mergeLines(raw, before, after []byte) []byte {
	const tooMany = 3000
	own, old, fresh := splitLines(raw), splitLines(before), splitLines(after)
	if len(own) != len(old) || len(old) > tooMany || len(fresh) > tooMany {
		return after
	}
	for i := range own { // the same line may be spelt otherwise, but must be the same line
		if squeeze(own[i]) != squeeze(old[i]) {
			return after
		}
	}
	head := 0
	for head < len(old) && head < len(fresh) && old[head] == fresh[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(fresh)-head && old[len(old)-1-tail] == fresh[len(fresh)-1-tail] {
		tail++
	}
	out := append([]string{}, own[:head]...)
	a, b := old[head:len(old)-tail], fresh[head:len(fresh)-tail]
	// The longest common lines of what lies between.
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; j < len(b); {
		switch {
		case i < len(a) && a[i] == b[j]:
			out = append(out, own[head+i])
			i, j = i+1, j+1
		case i < len(a) && length[i+1][j] >= length[i][j+1]:
			i++
		default:
			out = append(out, b[j])
			j++
		}
	}
	out = append(out, own[len(own)-tail:]...)
	return []byte(strings.Join(out, ""))
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
