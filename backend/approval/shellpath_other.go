//go:build !windows

package approval

// shellPath returns the path that a word of a command names.
func shellPath(word string) string { return word }
