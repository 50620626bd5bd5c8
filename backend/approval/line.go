package approval

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// LineOf returns a program with its arguments as one line for the shell, with quotes where they are
// needed. env are variables that it gets.
func LineOf(words []string, env map[string]string) (string, error) {
	assigned, err := Assignments(env)
	if err != nil {
		return "", err
	}
	line := []string{}
	for _, word := range words {
		quoted, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			return "", err
		}
		line = append(line, quoted)
	}
	return assigned + strings.Join(line, " "), nil
}

// Assignments returns variables as they stand before a command, with a space after each.
func Assignments(env map[string]string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !syntax.ValidName(name) {
			return "", fmt.Errorf("%q is not the name of a variable", name)
		}
		value, err := syntax.Quote(env[name], syntax.LangBash)
		if err != nil {
			return "", err
		}
		b.WriteString(name + "=" + value + " ")
	}
	return b.String(), nil
}
