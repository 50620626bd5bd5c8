package textsearch

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
)

// maxPart is the maximum length of the part of an expression that a message quotes.
const maxPart = 60

// expression compiles a regular expression with flags before it. Its error says in a sentence of
// ours what is wrong: those of the standard library are in English.
func expression(flags, text string) (*regexp.Regexp, error) {
	expr, err := regexp.Compile(flags + text)
	if err == nil {
		return expr, nil
	}
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return nil, fault.New(fault.Invalid, "Could not read the regular expression: it is not valid.")
	}
	part := clip.Line(strings.TrimPrefix(wrong.Expr, flags), maxPart)
	return nil, wrongPart(wrong.Code, part).Because(err)
}

// wrongPart says what is wrong with a part of an expression.
func wrongPart(code syntax.ErrorCode, part string) *fault.Error {
	switch code {
	case syntax.ErrMissingParen:
		return fault.New(fault.Invalid, "Could not read the regular expression: a “(” is not closed in “%s”. Close it, or write “\\(” to find the sign itself.", part)
	case syntax.ErrUnexpectedParen:
		return fault.New(fault.Invalid, "Could not read the regular expression: a “)” closes nothing in “%s”. Remove it, or write “\\)” to find the sign itself.", part)
	case syntax.ErrMissingBracket:
		return fault.New(fault.Invalid, "Could not read the regular expression: a “[” is not closed in “%s”. Close it, or write “\\[” to find the sign itself.", part)
	case syntax.ErrInvalidCharClass, syntax.ErrInvalidCharRange:
		return fault.New(fault.Invalid, "Could not read the regular expression: “%s” is no known class or range of characters. A range goes upwards, like “a-z”.", part)
	case syntax.ErrInvalidEscape:
		return fault.New(fault.Invalid, "Could not read the regular expression: “%s” has no meaning. Write “\\\\” to find a backslash.", part)
	case syntax.ErrTrailingBackslash:
		return fault.New(fault.Invalid, "Could not read the regular expression: it ends with a single backslash. Write “\\\\” to find a backslash.")
	case syntax.ErrInvalidNamedCapture:
		return fault.New(fault.Invalid, "Could not read the regular expression: “%s” is no name for a group, or it is there twice. Write a name of letters, like “(?<name>…)”.", part)
	case syntax.ErrInvalidPerlOp:
		return fault.New(fault.Invalid, "Could not read the regular expression: a group that begins with “%s” is not supported. Write it without looking ahead or behind.", part)
	case syntax.ErrMissingRepeatArgument:
		return fault.New(fault.Invalid, "Could not read the regular expression: there is nothing before “%s” to repeat. Put a backslash before it to find the sign itself.", part)
	case syntax.ErrInvalidRepeatOp:
		return fault.New(fault.Invalid, "Could not read the regular expression: “%s” repeats what is repeated already. Remove one sign, or put a backslash before it to find it.", part)
	case syntax.ErrInvalidRepeatSize:
		return fault.New(fault.Invalid, "Could not read the regular expression: “%s” repeats too often, or counts down. At most 1,000 repetitions are possible, nested ones together.", part)
	case syntax.ErrInvalidUTF8:
		return fault.New(fault.Invalid, "Could not read the regular expression: it is not valid Unicode text.")
	case syntax.ErrNestingDepth, syntax.ErrLarge:
		return fault.New(fault.Invalid, "Could not read the regular expression: it is too large. Search for less.")
	}
	return fault.New(fault.Invalid, "Could not read the regular expression: it is not valid.")
}
