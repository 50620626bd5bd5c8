package macro

import (
	"errors"
	"regexp"
)

const (
	maxPattern = 1000    // bytes of a regular expression
	maxWork    = 8 << 20 // bytes of pattern times bytes of value
)

// patterns compiles each expression once per text.
type patterns map[string]compiled

type compiled struct {
	re  *regexp.Regexp
	err error
}

// match reports whether the RE2 expression pattern matches somewhere in value.
// An expression that is not valid or too large matches nothing.
func (p *patterns) match(pattern, value string) (bool, error) {
	if len(pattern) > maxPattern || len(pattern)*len(value) > maxWork {
		return false, errors.New("it is too large")
	}
	c, ok := (*p)[pattern]
	if !ok {
		c.re, c.err = regexp.Compile(pattern)
		if *p == nil {
			*p = patterns{}
		}
		(*p)[pattern] = c
	}
	if c.err != nil {
		return false, c.err
	}
	return c.re.MatchString(value), nil
}
