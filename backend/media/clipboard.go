package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"mutsumi/backend/fault"
)

// clipboardTime is how long a helper and the owner of the clipboard may take.
const clipboardTime = 5 * time.Second

// ErrNoImage means that the clipboard can be read and contains no image.
var ErrNoImage = errors.New("there is no image in the clipboard")

// Clipboard reads an image from the system's clipboard, for web views that provide none. It needs
// xclip or wl-paste on Linux; macOS and Windows include what it needs. The error is ErrNoImage if
// there is none; NotFound, naming what to install, without a helper. It takes a few seconds at
// most.
func Clipboard(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, clipboardTime)
	defer cancel()
	data, err := clipboardImage(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fault.New(fault.Invalid, "the clipboard does not answer: copy the image again").Because(ctx.Err())
		}
		return nil, err
	}
	if len(data) == 0 {
		return nil, ErrNoImage
	}
	if int64(len(data)) > DefaultLimits.FileBytes {
		return nil, fault.New(fault.Invalid, "the image in the clipboard is larger than an image may be")
	}
	return data, nil
}

// output runs a helper and returns its output, limited: some print an image as text of twice its
// size.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout = &limited{&out, 3 * DefaultLimits.FileBytes}
	cmd.Stderr = &limited{&errs, 4 << 10}
	if err := cmd.Run(); err != nil {
		return nil, errors.Join(err, errors.New(strings.TrimSpace(errs.String())))
	}
	return out.Bytes(), nil
}

// limited accepts all writes and keeps the first bytes.
type limited struct {
	to   io.Writer
	left int64
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(int64(len(b)), l.left)
	l.left -= n
	if _, err := l.to.Write(b[:n]); err != nil {
		return 0, err
	}
	return len(b), nil
}

// best picks the best of the types that the clipboard offers.
func best(offered string) string {
	for _, want := range []string{"image/png", "image/jpeg", "image/webp", "image/gif"} {
		for line := range strings.Lines(offered) {
			if strings.TrimSpace(line) == want {
				return want
			}
		}
	}
	return ""
}
