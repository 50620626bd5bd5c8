package media

import (
	"context"
	"os"
	"os/exec"

	"mutsumi/backend/fault"
)

func clipboardImage(ctx context.Context) ([]byte, error) {
	wayland, x11 := os.Getenv("WAYLAND_DISPLAY") != "", os.Getenv("DISPLAY") != ""
	if !wayland && !x11 {
		return nil, fault.New(fault.NotFound, "there is no clipboard: the program runs without a display")
	}
	if path, err := exec.LookPath("wl-paste"); err == nil && wayland {
		return ask(ctx, path, []string{"--list-types"}, func(mime string) []string {
			return []string{"--no-newline", "--type", mime}
		})
	}
	if path, err := exec.LookPath("xclip"); err == nil && x11 {
		return ask(ctx, path, []string{"-selection", "clipboard", "-t", "TARGETS", "-o"}, func(mime string) []string {
			return []string{"-selection", "clipboard", "-t", mime, "-o"}
		})
	}
	if wayland {
		return nil, fault.New(fault.NotFound, "Could not read the image in the clipboard: install wl-clipboard, or save the image and drop the file here")
	}
	return nil, fault.New(fault.NotFound, "Could not read the image in the clipboard: install xclip, or save the image and drop the file here")
}

// ask lists the clipboard's types and fetches the best one. Both helpers fail if the clipboard is
// empty: then there is no image.
func ask(ctx context.Context, helper string, list []string, fetch func(mime string) []string) ([]byte, error) {
	offered, err := output(ctx, helper, list...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrNoImage
	}
	mime := best(string(offered))
	if mime == "" {
		return nil, ErrNoImage
	}
	return output(ctx, helper, fetch(mime)...)
}
