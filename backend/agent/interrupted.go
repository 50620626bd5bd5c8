package agent

import (
	"context"
	"errors"
)

// ErrEnding is the cause with which the context of a run ends when the program
// does: nobody stopped the agent, and it can be resumed.
var ErrEnding = errors.New("the program is ending")

// Interrupted is the outcome of a run that the end of the program cut short.
const Interrupted Outcome = "interrupted"

// ByPerson is the result of a call that a stop left without one (SPEC 7.3).
const ByPerson = "interrupted by the person"

// NotBegun is the result of a call that the end of the program kept from running.
const NotBegun = "interrupted by the end of the program before it ran: nothing was done"

// Unfinished is the result of a call that the end of the program left without
// one, after a crash too. reads says that its tool changes nothing.
func Unfinished(reads bool) string {
	if reads {
		return "interrupted by the end of the program before it gave a result: call it again if it is still needed"
	}
	return "interrupted by the end of the program: it may or may not have taken effect. Check before doing it again"
}

// Cut is the outcome of a run whose context ended, and the result of a call
// that will not run because of it.
func Cut(ctx context.Context) (Outcome, string) {
	if isEnding(ctx) {
		return Interrupted, NotBegun
	}
	return Stopped, ByPerson
}

func isEnding(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrEnding) }

// unfinished is the result of a call whose tool was at work when ctx ended.
func unfinished(ctx context.Context, reads bool) string {
	if isEnding(ctx) {
		return Unfinished(reads)
	}
	return ByPerson
}
