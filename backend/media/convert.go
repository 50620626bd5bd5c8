package media

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"

	xdraw "golang.org/x/image/draw"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/lock"
)

// Prepared is an image or a document as it is sent.
type Prepared struct {
	Data   []byte // of an image
	Format Format
	W, H   int  // of Data, upright
	From   Info // the original
	Bytes  int  // of the original
	Scaled bool // smaller than the original
	Turned bool // turned upright by its EXIF orientation
	Pages  int  // of a document; 0: not known
	Note   string

	uri string // of a document
}

// size is the memory that it uses, in bytes.
func (p Prepared) size() int { return len(p.Data) + len(p.uri) }

// Prepare makes an image fit for a model: turned upright, at most lim.Side pixels long and
// lim.Bytes large. An image that fits already is returned byte for byte. Note describes the
// changes, for a person; "" means none. Of an animated GIF that has to be scaled the first picture
// is kept.
func Prepare(data []byte, name string, lim Limits) (Prepared, error) {
	info, err := Sniff(data, name, lim)
	if err != nil {
		return Prepared{}, err
	}
	w, h := info.Upright()
	p := Prepared{Data: data, Format: info.Format, W: w, H: h, From: info, Bytes: len(data), Turned: info.Turn > 1}
	if !p.Turned && max(w, h) <= lim.Side && len(data) <= lim.Bytes {
		return p, nil
	}
	working.Lock()
	defer working.Unlock()
	src, err := decode(data, info, name)
	if err != nil {
		return Prepared{}, err
	}
	side := min(max(w, h), lim.Side)
	for {
		if err := p.encode(fit(src, side, info.Turn), info); err != nil {
			return Prepared{}, fmt.Errorf("scale image %s: %w", name, err)
		}
		if len(p.Data) <= lim.Bytes {
			break
		}
		if side <= 64 {
			return Prepared{}, fault.New(fault.Invalid, "Could not make %s as small as %s", name, files.Size(int64(lim.Bytes)))
		}
		side = side * 3 / 4
	}
	p.Scaled = p.W < w || p.H < h
	p.Note = p.explain(name, w, h, lim)
	return p, nil
}

func (p *Prepared) explain(name string, w, h int, lim Limits) string {
	note := ""
	switch {
	case p.Scaled:
		note = fmt.Sprintf("%s is sent as %d x %d pixels instead of %d x %d", name, p.W, p.H, w, h)
	case p.Bytes > lim.Bytes:
		note = fmt.Sprintf("%s is sent with stronger compression, %s instead of %s", name, files.Size(int64(len(p.Data))), files.Size(int64(p.Bytes)))
	default:
		return "" // turned upright, as every viewer shows it
	}
	if p.From.Format == GIF {
		note += ", and if it moves, its first picture only"
	}
	return note
}

// decode reads the pixels; of a GIF the first picture, on its whole canvas.
func decode(data []byte, info Info, name string) (image.Image, error) {
	var src image.Image
	var err error
	if info.Format == GIF {
		src, err = gif.Decode(bytes.NewReader(data))
		if canvas := image.Rect(0, 0, info.W, info.H); err == nil && src.Bounds() != canvas {
			whole := image.NewNRGBA(canvas)
			draw.Draw(whole, src.Bounds(), src, src.Bounds().Min, draw.Src)
			src = whole
		}
	} else {
		src, _, err = image.Decode(bytes.NewReader(data))
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s begins like a %s image but is damaged", name, info.Format).Because(errNotImage)
	}
	return src, nil
}

// working lets one image at a time be decoded and scaled: a large one takes
// hundreds of megabytes while it lasts.
var working lock.Mutex

// fit scales so that the longest side is at most side, then turns upright:
// turning a small image is cheaper.
func fit(src image.Image, side, turn int) image.Image {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	if long := max(w, h); long > side {
		nw, nh := max(1, (w*side+long/2)/long), max(1, (h*side+long/2)/long)
		if factor := long / side; factor >= 2 {
			src = shrink(src, factor)
			b = src.Bounds()
		}
		dst := image.NewRGBA(image.Rect(0, 0, nw, nh))
		xdraw.CatmullRom.Scale(dst, dst.Rect, src, b, draw.Src, nil)
		src = dst
	}
	return upright(src, turn)
}

// shrink averages squares of factor times factor pixels, so that CatmullRom, whose memory and time
// grow with the source, has to shrink each side to no less than half.
func shrink(src image.Image, factor int) image.Image {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	out := image.NewRGBA(image.Rect(0, 0, (w+factor-1)/factor, (h+factor-1)/factor))
	strip := image.NewRGBA(image.Rect(0, 0, w, factor))
	for y := range out.Rect.Dy() {
		rows := min(factor, h-y*factor)
		draw.Draw(strip, image.Rect(0, 0, w, rows), src, image.Pt(b.Min.X, b.Min.Y+y*factor), draw.Src)
		for x := range out.Rect.Dx() {
			from, to := x*factor*4, min((x+1)*factor, w)*4
			var sum [4]int
			for row := range rows {
				pix := strip.Pix[row*strip.Stride:]
				for i := from; i < to; i += 4 {
					sum[0] += int(pix[i])
					sum[1] += int(pix[i+1])
					sum[2] += int(pix[i+2])
					sum[3] += int(pix[i+3])
				}
			}
			n := rows * (to - from) / 4
			for c, v := range sum {
				out.Pix[y*out.Stride+x*4+c] = byte((v + n/2) / n)
			}
		}
	}
	return out
}

// encode writes pixels as JPEG if the input was one, or if they are opaque and large as PNG;
// otherwise as PNG, which keeps screenshots sharp.
func (p *Prepared) encode(img image.Image, info Info) error {
	b := img.Bounds()
	p.W, p.H = b.Dx(), b.Dy()
	var buf bytes.Buffer
	if info.Format != JPEG {
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := enc.Encode(&buf, img); err != nil {
			return err
		}
		p.Data, p.Format = buf.Bytes(), PNG
		if buf.Len() <= 2<<20 || !opaque(img) {
			return nil
		}
		buf = bytes.Buffer{}
	}
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 88}); err != nil {
		return err
	}
	p.Data, p.Format = buf.Bytes(), JPEG
	return nil
}

func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}
