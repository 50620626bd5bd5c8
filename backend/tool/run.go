package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Run carries out a call: a panic becomes an error result, output past the
// limits goes to a file that the result names. It returns when the tool does.
func Run(ctx context.Context, env Env, call Call) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res = Error(fmt.Sprintf("%s crashed: %v. This is a mistake in the tool; other arguments or another tool may work.", call.Tool.Name(), p))
		}
	}()
	if err := ctx.Err(); err != nil {
		return Error("stopped before it ran")
	}
	res = call.Do(ctx, env)
	res.Content = valid(res.Content)
	if !res.Bounded {
		res.Content = env.limited(call.Tool.Name(), res.Content)
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
