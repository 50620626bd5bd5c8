package acp

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

// quote returns a line of an agent in quotation marks.
func quote(line string) string { return `"` + clip.VisibleLine(line, 200) + `"` }

// commandLine returns a command as a person would type it.
func commandLine(program string, args []string) string {
	words := []string{}
	for _, w := range append([]string{program}, args...) {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`;&|<>*?()") {
			w = strconv.Quote(w)
		}
		words = append(words, w)
	}
	return clip.VisibleLine(strings.Join(words, " "), 500)
}

// isMissing reports whether an error says that a file is not there.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || fault.Is(err, fault.NotFound)
}

// versionOf returns a version as an agent names it, for a person.
func versionOf(s string) string { return clip.VisibleLine(s, 60) }

// sameText reports whether two errors say the same.
func sameText(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Error() == b.Error()
}
