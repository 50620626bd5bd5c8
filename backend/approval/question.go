package approval

import (
	"strings"

	"mutsumi/backend/fault"
)

// maxAnswer is the longest answer to a question, in bytes.
const maxAnswer = 64 << 10

// answers checks a decision about a question: it must be an answer in words, or a refusal. A scope
// or a plain yes, which settle calls, is not an answer: the question then still waits.
func answers(d Decision) error {
	switch {
	case d.Scope != Once:
		return fault.New(fault.Invalid, "a question is answered once: no rule can answer it")
	case d.Arguments != "":
		return fault.New(fault.Invalid, "a question has no arguments to change: answer it")
	case d.Allow && strings.TrimSpace(d.Answer) == "":
		return fault.New(fault.Invalid, "the answer is empty: say something, or decline to answer")
	case len(d.Answer) > maxAnswer:
		return fault.New(fault.Invalid, "the answer is longer than %d KB: put it into a file and name that", maxAnswer>>10)
	}
	return nil
}
