// Package glob matches paths with slashes against patterns in which "**" means any number of
// folders. The caller matches single elements: .gitignore files and approvals have different rules.
// It reads no file.
package glob

import "strings"

// Match reports whether pattern, split at its slashes, matches name. "**" matches any number of
// elements, including none. element matches one element; it never gets "**". Match backtracks to
// the last "**" only, so it calls element a quadratic number of times at worst.
func Match(pattern []string, name string, element func(pattern, name string) bool) bool {
	rest, more := name, true // of the name
	var retry []string       // of the pattern, after the last "**"
	from, again := "", false // where that was tried last, and whether something follows
	for {
		switch {
		case len(pattern) > 0 && pattern[0] == "**":
			pattern = pattern[1:]
			if len(pattern) == 0 {
				return true
			}
			retry, from, again = pattern, rest, more
			continue
		case len(pattern) == 0 && !more:
			return true
		case len(pattern) > 0 && more:
			head, tail, found := strings.Cut(rest, "/")
			if element(pattern[0], head) {
				pattern, rest, more = pattern[1:], tail, found
				continue
			}
		}
		if !again {
			return false
		}
		_, from, again = strings.Cut(from, "/")
		pattern, rest, more = retry, from, again
	}
}
