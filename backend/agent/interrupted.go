package agent

import (
	"context"
	"errors"
)

// ErrEnding is the cause with which a run's context ends when the program ends: nobody stopped the
// agent, and it can be resumed.
var ErrEnding = errors.New("the program is ending")

// Interrupted is the outcome of a run that the end of the program cut short.
const Interrupted Outcome = "interrupted"

// ByPerson is the result of a call that was unfinished at a stop (SPEC 7.3).
const ByPerson = "interrupted by the person"

// NotBegun is the result of a call that had not started when the program ended.
const NotBegun = "interrupted by the end of the program before it ran: nothing was done"

// Unfinished is the result of a call that was running when the program ended or crashed. reads
// reports that its tool changes nothing.
func Unfinished(reads bool) string {
	if reads {
		return "interrupted by the end of the program before it gave a result: call it again if it is still needed"
	}
	return "interrupted by the end of the program: it may or may not have taken effect. Check before doing it again"
}

// Cut returns the outcome of a run whose context ended, and the result of a call that will not run
// because of it.
func Cut(ctx context.Context) (Outcome, string) {
	if isEnding(ctx) {
		return Interrupted, NotBegun
	}
	return Stopped, ByPerson
}

func isEnding(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrEnding) }

// unfinished returns the result of a call whose tool was running when ctx ended.
func unfinished(ctx context.Context, reads bool) string {
	if isEnding(ctx) {
		return Unfinished(reads)
	}
	return ByPerson
}
