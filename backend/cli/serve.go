package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"mutsumi/backend/lock"
	"mutsumi/backend/web"
)

// serve offers the interface to a browser until the program gets a signal to end.
func serve(p *Program, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:0", "")
	untilEOF := flags.Bool("until-eof", false, "")
	rest, err := words(flags, args, 0, 1)
	if err != nil {
		return err
	}
	ctx, cancel := untilSignal()
	defer cancel()
	if *untilEOF { // whoever started this process has ended
		go func() {
			io.Copy(io.Discard, p.Stdin)
			cancel()
		}()
	}
	folder, notebook, err := opens(rest)
	if err != nil {
		return err
	}
	open, err := openWorkspace(p, openOptions{Folder: folder})
	if err != nil {
		return err
	}
	if notebook != "" {
		open.ws.ShowNotebook(notebook)
	}
	defer open.Close()
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", *listen, err)
	}
	said := &line{to: &visible{to: p.Stdout}} // it may be another Mutsumi that prints it
	guard := web.NewGuard(l.Addr(), func(address string) { said.print("A new address for Mutsumi on %s:\n%s\n", open.ws.Folder(), address) })
	server := &http.Server{
		Handler:           guard.Wrap(web.Server(p.Interface, web.New(open.ws), p.Calls(open.ws))),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	said.print("Mutsumi serves %s at\n%s\nThe address can be opened once.\n", open.ws.Folder(), guard.Address())
	if !loopback(l.Addr()) {
		fmt.Fprintln(p.Stderr, "mutsumi: everybody who reaches this address and opens it first, or reads what is sent, can read and change the folder")
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	quick, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if err := server.Shutdown(quick); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("close the server: %w", err)
	}
	server.Close()
	return open.Close()
}

func loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// line writes whole lines from several goroutines.
type line struct {
	mu lock.Mutex
	to io.Writer
}

func (l *line) print(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.to, format, args...)
}
