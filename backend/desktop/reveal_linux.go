package desktop

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/godbus/dbus/v5"

	"mutsumi/backend/fault"
)

// answerTime is how long a file manager may take to start and answer.
const answerTime = 5 * time.Second

// Reveal shows a file or folder in the system's file manager, selected if the manager supports that
// through org.freedesktop.FileManager1; otherwise it opens the containing folder. It waits a few
// seconds at most.
func Reveal(path string) error {
	abs, _, err := subject(path)
	if err != nil {
		return err
	}
	busErr := showItems(abs)
	if busErr == nil {
		return nil
	}
	opener, err := exec.LookPath("xdg-open")
	if err != nil {
		return fault.New(fault.NotFound, "no file manager answers and xdg-open is not installed: the file is %s", abs).Because(busErr)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, opener, filepath.Dir(abs))
	cmd.WaitDelay = time.Second
	switch err := cmd.Run(); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded): // it became the file manager
		return nil
	case err != nil:
		return fault.New(fault.NotFound, "no file manager could be opened: the file is %s", abs).Because(errors.Join(busErr, err))
	}
	return nil
}

func showItems(abs string) error {
	address, err := sessionBus()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer conn.Close()
	uri := (&url.URL{Scheme: "file", Path: abs}).String()
	manager := conn.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1")
	return manager.CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{uri}, "").Err
}
