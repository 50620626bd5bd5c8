package media

import (
	"context"
	"encoding/base64"
	"strings"
)

// clipboardScript prints the image as a base64 PNG, nothing if there is none.
const clipboardScript = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; ` +
	`$i=[System.Windows.Forms.Clipboard]::GetImage(); if($i){$m=New-Object System.IO.MemoryStream; ` +
	`$i.Save($m,[System.Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray())}`

func clipboardImage(ctx context.Context) ([]byte, error) {
	out, err := output(ctx, "powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command", clipboardScript)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
	if err != nil {
		return nil, ErrNoImage
	}
	return data, nil
}
