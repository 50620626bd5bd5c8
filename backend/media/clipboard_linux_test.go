package media

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
)

// TestClipboard puts things into a real X clipboard and reads them back.
func TestClipboard(t *testing.T) {
	server, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("Xvfb is not installed")
	}
	xclip, err := exec.LookPath("xclip")
	if err != nil {
		t.Skip("xclip is not installed")
	}
	r, w, err := os.Pipe()
	must(t, err)
	cmd := exec.Command(server, "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	must(t, w.Close())
	must(t, r.SetReadDeadline(time.Now().Add(30*time.Second)))
	number, err := io.ReadAll(io.LimitReader(r, 2))
	must(t, err)
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(string(number)))
	t.Setenv("WAYLAND_DISPLAY", "")

	if _, err := Clipboard(t.Context()); !errors.Is(err, ErrNoImage) {
		t.Errorf("an empty clipboard: %v", err)
	}
	copyIn := func(kind string, data []byte) {
		t.Helper()
		c := exec.Command(xclip, "-selection", "clipboard", "-t", kind, "-i")
		c.Stdin = bytes.NewReader(data)
		must(t, c.Run())
		// xclip keeps running after its call: it owns the clipboard once it offers the type.
		for deadline := time.Now().Add(30 * time.Second); ; {
			offers, _ := exec.Command(xclip, "-selection", "clipboard", "-t", "TARGETS", "-o").Output()
			if strings.Contains(string(offers), kind) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s never came to the clipboard; it offers %q", kind, offers)
			}
		}
	}
	for kind, data := range map[string][]byte{
		"image/png": encodePNG(t, noise(300, 300)), "image/jpeg": encodeJPEG(t, picture(20, 20), 80), // past the size of one X request
	} {
		copyIn(kind, data)
		if got, err := Clipboard(t.Context()); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", kind, len(got), err)
		}
	}
	copyIn("UTF8_STRING", []byte("just text"))
	if _, err := Clipboard(t.Context()); !errors.Is(err, ErrNoImage) {
		t.Errorf("text in the clipboard: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Clipboard(t.Context()); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "install xclip") {
		t.Errorf("without a helper: %v", err)
	}
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if _, err := Clipboard(t.Context()); !strings.Contains(err.Error(), "install wl-clipboard") {
		t.Errorf("without a helper on Wayland: %v", err)
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := Clipboard(t.Context()); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "without a display") {
		t.Errorf("without a display: %v", err)
	}
}
