package media

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/webp"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
)

// Format is one of the four kinds of image that every provider takes.
type Format string

const (
	PNG  Format = "png"
	JPEG Format = "jpeg"
	GIF  Format = "gif"
	WebP Format = "webp"
)

// MIME is the format's media type.
func (f Format) MIME() string {
	if f == PDF {
		return "application/pdf"
	}
	return "image/" + string(f)
}

// Ext is the ending of file names, without a dot.
func (f Format) Ext() string {
	if f == JPEG {
		return "jpg"
	}
	return string(f)
}

// Limits limit what is read and sent.
type Limits struct {
	FileBytes int64 // of a file that is read at all
	Pixels    int   // of an image that is decoded at all: width times height
	Side      int   // longest side of the sent image in pixels
	Bytes     int   // of the sent image, before base64
}

// DefaultLimits suit every provider in the table of known models.
var DefaultLimits = Limits{FileBytes: 32 << 20, Pixels: 64 << 20, Side: 2048, Bytes: 5 << 20}

// Info is the content of an image's head.
type Info struct {
	Format Format
	W, H   int // pixels, as stored: before any turning
	Turn   int // EXIF orientation, 1 to 8; 1 is upright
}

// Upright returns the size as a person sees it.
func (i Info) Upright() (w, h int) {
	if i.Turn >= 5 {
		return i.H, i.W
	}
	return i.W, i.H
}

// errNotImage is wrapped by the faults about content that is not an image.
var errNotImage = errors.New("not an image")

// Sniff reads the head of an image. Other content, a damaged image and one with more pixels than
// lim allows are Invalid, with the name in the message.
func Sniff(data []byte, name string, lim Limits) (Info, error) {
	format, other := kind(data)
	if format == "" {
		return Info{}, fault.New(fault.Invalid, "%s is %s, not an image that can be sent: png, jpeg, gif or webp", name, other).Because(errNotImage)
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		return Info{}, fault.New(fault.Invalid, "%s begins like a %s image but is damaged", name, format).Because(errNotImage)
	}
	if cfg.Width > lim.Pixels/cfg.Height {
		return Info{}, fault.New(fault.Invalid, "%s is %d x %d pixels, more than the %d million that are opened: scale it down first", name, cfg.Width, cfg.Height, lim.Pixels>>20)
	}
	info := Info{Format: format, W: cfg.Width, H: cfg.Height, Turn: 1}
	if format == JPEG {
		info.Turn = orientation(data)
	}
	return info, nil
}

// kind recognises the format by the first bytes, or names the other content for a person.
func kind(b []byte) (Format, string) {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return PNG, ""
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return JPEG, ""
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return GIF, ""
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return WebP, ""
	case len(b) == 0:
		return "", "empty"
	case bytes.HasPrefix(b, []byte("BM")) && len(b) > 14:
		return "", "a BMP image"
	case bytes.HasPrefix(b, []byte("II*\x00")), bytes.HasPrefix(b, []byte("MM\x00*")):
		return "", "a TIFF image"
	case len(b) >= 12 && string(b[4:8]) == "ftyp":
		switch string(b[8:12]) {
		case "heic", "heix", "mif1", "heim", "hevc":
			return "", "a HEIC image"
		case "avif", "avis":
			return "", "an AVIF image"
		}
		return "", "a video"
	case bytes.HasPrefix(b, []byte("%PDF-")):
		return "", "a PDF document"
	}
	head := bytes.ToLower(bytes.TrimLeft(b[:min(len(b), 1024)], " \t\r\n\ufeff"))
	switch {
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return "", "an HTML page"
	case bytes.Contains(head, []byte("<svg")):
		return "", "an SVG drawing"
	}
	if _, text := files.Text(b[:min(len(b), 8000)]); text {
		return "", "text"
	}
	return "", "a file of another kind"
}

// holdsMarkup reports whether an image carries a page that a browser could be
// made to run. Compressed pixels hold none of these words by chance.
func holdsMarkup(data []byte) bool {
	low := bytes.ToLower(data)
	for _, word := range []string{"<script", "<html>", "<html ", "<!doctype html", "<iframe", "javascript:"} {
		if bytes.Contains(low, []byte(word)) {
			return true
		}
	}
	return false
}
