package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Run carries out a call: a panic becomes an error result, output beyond the limits goes to a file
// that the result names. It returns when the tool does.
func Run(ctx context.Context, env Env, call Call) (res Result) {
	defer caught(call, &res)
	if err := ctx.Err(); err != nil {
		return Error("stopped before it ran")
	}
	return env.bounded(call, call.Do(ctx, env))
}

// Idle returns the result of a call that would change nothing if it ran now, as Run would return it.
// It returns false if the call would change something, or that is not known.
func Idle(ctx context.Context, env Env, call Call) (res Result, idle bool) {
	if call.Idle == nil || ctx.Err() != nil {
		return Result{}, false
	}
	defer caught(call, &res)
	if res, idle = call.Idle(ctx, env); !idle {
		return Result{}, false
	}
	return env.bounded(call, res), true
}

// caught makes a result of a panic. It is deferred.
func caught(call Call, res *Result) {
	if p := recover(); p != nil {
		*res = Error(fmt.Sprintf("%s crashed: %v. This is a mistake in the tool; other arguments or another tool may work.", call.Tool.Name(), p))
	}
}

func (e Env) bounded(call Call, res Result) Result {
	res.Content = valid(res.Content)
	if !res.Bounded {
		res.Content = e.limited(call.Tool.Name(), res.Content)
	}
	return res
}

// valid replaces bytes that are not UTF-8: a request cannot carry them.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
