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

// untilSignal returns a context that ends when the program gets a signal to end. From then on, or
// after a call of cancel, another signal ends it immediately. From now on, closing the reader of
// standard output makes writes fail instead of ending the program.
func untilSignal() (ctx context.Context, cancel context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, cancel = signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, cancel)
	return ctx, cancel
}
