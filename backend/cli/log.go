package cli

import (
	"flag"
	"io"
	"os"
	"time"

	"mutsumi/backend/log"
	"mutsumi/backend/settings"
)

// followEvery is how often the log is checked for new entries.
const followEvery = 250 * time.Millisecond

// logCommand prints the log (SPEC 17), oldest entry first; with --follow it continues with new
// entries, until a signal ends it or its reader goes away.
func logCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	follow := flags.Bool("follow", false, "")
	if _, err := words(flags, args, 0, 0); err != nil {
		return err
	}
	store, err := settings.Open("")
	if err != nil {
		return err
	}
	dir := store.StateFolder(log.Name)
	if !*follow {
		for _, file := range log.Files(dir) {
			if err := printFile(p.Stdout, file); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := untilSignal()
	defer cancel()
	for entries := log.Follow(dir); ; {
		if _, err := entries.WriteTo(p.Stdout); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

func printFile(w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return nil // it was moved away right now
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
