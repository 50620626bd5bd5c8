package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endings are the signals that end the program in good order: everything that
// runs is stopped and saved. A program that was started to outlive its terminal
// (nohup) ignores the end of that.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// untilSignal returns a context that ends when the program gets a signal to end. From
// then on, or after a call of cancel, a further signal ends it at once. A
// standard output that nobody reads any more is an error of the write from now
// on, and not the end of the program.
func untilSignal() (ctx context.Context, cancel context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, cancel = signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, cancel)
	return ctx, cancel
}
