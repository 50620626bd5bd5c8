package tool

import (
	"context"
	"fmt"
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
	res.Content = env.limited(call.Tool.Name(), res.Content)
	return res
}
