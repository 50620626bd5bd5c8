package media

import (
	"context"
	"encoding/hex"
	"strings"
)

// clipboardScript prints «data PNGf89504E47...».
const clipboardScript = `get the clipboard as «class PNGf»`

func clipboardImage(ctx context.Context) ([]byte, error) {
	out, err := output(ctx, "/usr/bin/osascript", "-e", clipboardScript)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrNoImage
	}
	text := strings.TrimSpace(string(out))
	text = strings.TrimSuffix(strings.TrimPrefix(text, "«data PNGf"), "»")
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, ErrNoImage
	}
	return data, nil
}
