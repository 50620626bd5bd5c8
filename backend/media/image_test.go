package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var corners = [2][2]color.NRGBA{ // [row][column]
	{{255, 0, 0, 255}, {0, 160, 0, 255}},
	{{0, 0, 255, 255}, {255, 255, 255, 255}},
}

// picture has a colour in each quarter.
func picture(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, corners[y*2/h][x*2/w])
		}
	}
	return img
}

// noise cannot be compressed.
func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func encodePNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

func encodeJPEG(t testing.TB, img image.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}))
	return b.Bytes()
}

// encodeGIF makes a moving GIF of several pictures; all but the first are small.
func encodeGIF(t testing.TB, w, h, frames int) []byte {
	t.Helper()
	pal := color.Palette{color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}}
	g := &gif.GIF{Config: image.Config{ColorModel: pal, Width: w, Height: h}}
	for i := range frames {
		img := image.NewPaletted(image.Rect(0, 0, w, h), pal)
		for p := range img.Pix {
			img.Pix[p] = byte(i % 2)
		}
		g.Image = append(g.Image, img)
		g.Delay = append(g.Delay, 10)
	}
	var b bytes.Buffer
	must(t, gif.EncodeAll(&b, g))
	return b.Bytes()
}

// The smallest lossless and lossy WebP images, one pixel each.
var webpLossless, webpLossy = fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="), fromBase64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")

func fromBase64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// withOrientation puts an EXIF block into a JPEG.
func withOrientation(data []byte, turn int, order binary.AppendByteOrder) []byte {
	tiff := []byte("MM")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		tiff = []byte("II")
	}
	tiff = order.AppendUint16(tiff, 42)
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	tiff = order.AppendUint16(tiff, 0x010F) // maker, before it
	tiff = order.AppendUint16(tiff, 2)
	tiff = order.AppendUint32(tiff, 4)
	tiff = append(tiff, "abc\x00"...)
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, uint16(turn))
	tiff = order.AppendUint16(tiff, 0)
	tiff = order.AppendUint32(tiff, 0)
	body := append([]byte("Exif\x00\x00"), tiff...)
	out := append([]byte{}, data[:2]...)
	out = append(out, 0xFF, 0xE1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(body)+2))
	out = append(out, body...)
	return append(out, data[2:]...)
}

func near(a color.Color, b color.NRGBA) bool {
	r, g, bl, _ := a.RGBA()
	diff := func(x uint32, y byte) bool { d := int(x>>8) - int(y); return d < 24 && d > -24 }
	return diff(r, b.R) && diff(g, b.G) && diff(bl, b.B)
}

// TestOrientation checks the pixels of each EXIF orientation: the standard defines on which side of
// the picture the stored row 0 and column 0 are.
func TestOrientation(t *testing.T) {
	sides := [9][2]string{1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"}, 5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"}}
	opposite := map[string]string{"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
	stored := encodeJPEG(t, picture(64, 32), 100)
	for turn := 1; turn <= 8; turn++ {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			data := withOrientation(stored, turn, order)
			p, err := Prepare(data, "photo.jpg", DefaultLimits)
			must(t, err)
			th, err := thumbnail(data, "photo.jpg", 32, DefaultLimits)
			must(t, err)
			if turn == 1 && !bytes.Equal(p.Data, data) {
				t.Error("an upright image was changed")
			}
			for _, got := range []Prepared{p, th} {
				img, _, err := image.Decode(bytes.NewReader(got.Data))
				must(t, err)
				b := img.Bounds()
				if (b.Dx() > b.Dy()) == (turn >= 5) || b.Dx() != got.W || b.Dy() != got.H {
					t.Errorf("orientation %d is %v, said %d x %d", turn, b, got.W, got.H)
				}
				for row := range 2 {
					for col := range 2 {
						at := map[string]bool{}
						at[map[bool]string{true: sides[turn][0], false: opposite[sides[turn][0]]}[row == 0]] = true
						at[map[bool]string{true: sides[turn][1], false: opposite[sides[turn][1]]}[col == 0]] = true
						x, y := b.Dx()/4, b.Dy()/4
						if at["right"] {
							x = b.Dx() * 3 / 4
						}
						if at["bottom"] {
							y = b.Dy() * 3 / 4
						}
						if !near(img.At(x, y), corners[row][col]) {
							t.Errorf("orientation %d: stored corner %d,%d is not at %v but %v is", turn, row, col, at, img.At(x, y))
						}
					}
				}
				if orientation(got.Data) != 1 {
					t.Errorf("orientation %d is still noted after turning", turn)
				}
			}
		}
	}
}

func TestDamagedExif(t *testing.T) {
	good := withOrientation(encodeJPEG(t, picture(8, 8), 90), 6, binary.BigEndian)
	for cut := range 80 {
		orientation(good[:cut]) // must not panic
		bad := bytes.Clone(good)
		bad[cut] ^= 0xFF
		orientation(bad)
	}
	for _, n := range []int{0, 9, 65535} {
		if got := orientation(withOrientation(encodeJPEG(t, picture(8, 8), 90), n, binary.BigEndian)); got != 1 {
			t.Errorf("orientation %d counts as %d", n, got)
		}
	}
}

func TestPassThrough(t *testing.T) {
	for name, data := range map[string][]byte{
		"a.png": encodePNG(t, picture(20, 10)), "a.jpg": encodeJPEG(t, picture(20, 10), 80), "a.gif": encodeGIF(t, 20, 10, 3), "l.webp": webpLossless, "y.webp": webpLossy,
		"edge.png": encodePNG(t, picture(2048, 2)),
	} {
		p, err := Prepare(data, name, DefaultLimits)
		if err != nil || !bytes.Equal(p.Data, data) || p.Scaled || p.Note != "" {
			t.Errorf("%s: %+v, %v", name, p.From, err)
		}
		head, body, _ := strings.Cut(p.DataURI(), ",")
		if b, err := base64.StdEncoding.DecodeString(body); err != nil || !bytes.Equal(b, data) || head != "data:image/"+string(p.Format)+";base64" {
			t.Errorf("%s: the data URI begins with %s, %v", name, head, err)
		}
	}
}

func TestScaled(t *testing.T) {
	lim := Limits{FileBytes: 32 << 20, Pixels: 64 << 20, Side: 200, Bytes: 40_000}
	alpha := picture(400, 300)
	alpha.SetNRGBA(0, 0, color.NRGBA{})
	cases := map[string]struct {
		data   []byte
		w, h   int // 0: any
		format Format
		note   string
	}{
		"wide.png":  {encodePNG(t, picture(400, 100)), 200, 50, PNG, "200 x 50 pixels instead of 400 x 100"},
		"tall.jpg":  {encodeJPEG(t, picture(100, 1000), 80), 20, 200, JPEG, "instead of 100 x 1000"},
		"thin.png":  {encodePNG(t, picture(4000, 1)), 200, 1, PNG, "200 x 1"},
		"alpha.png": {encodePNG(t, alpha), 200, 150, PNG, "200 x 150"},
		"moves.gif": {encodeGIF(t, 400, 300, 4), 200, 150, PNG, "first picture only"},
		"noise.png": {encodePNG(t, noise(190, 190)), 0, 0, PNG, "instead of 190 x 190"},
		"noise.jpg": {encodeJPEG(t, noise(180, 180), 100), 0, 0, JPEG, ""},
		"turn.jpg":  {withOrientation(encodeJPEG(t, picture(400, 100), 80), 6, binary.BigEndian), 50, 200, JPEG, "50 x 200 pixels instead of 100 x 400"},
	}
	for name, c := range cases {
		p, err := Prepare(c.data, name, lim)
		must(t, err)
		info, err := Sniff(p.Data, name, lim)
		must(t, err)
		if max(p.W, p.H) > lim.Side || len(p.Data) > lim.Bytes || info.W != p.W || info.H != p.H || p.Format != c.format || info.Format != c.format || c.w != 0 && (p.W != c.w || p.H != c.h) {
			t.Errorf("%s became %d x %d %s, %d bytes", name, p.W, p.H, p.Format, len(p.Data))
		}
		if !strings.Contains(p.Note, c.note) || !strings.Contains(p.Note, name) || p.Bytes != len(c.data) {
			t.Errorf("%s: the note is %q", name, p.Note)
		}
	}
	// The colours stay where they were.
	p, err := Prepare(cases["wide.png"].data, "wide.png", lim)
	must(t, err)
	img, err := png.Decode(bytes.NewReader(p.Data))
	must(t, err)
	if !near(img.At(20, 10), corners[0][0]) || !near(img.At(180, 40), corners[1][1]) {
		t.Error("scaling moved the colours")
	}
}

// TestShrink: averaging keeps every colour in its place and the mean of all.
func TestShrink(t *testing.T) {
	for _, size := range [][2]int{{4000, 3000}, {2047, 3}, {1, 999}, {1000, 1}, {640, 481}} {
		src := picture(size[0], size[1])
		for _, side := range []int{7, 64, 300} {
			got := fit(src, side, 1)
			b := got.Bounds()
			if max(b.Dx(), b.Dy()) != side {
				t.Errorf("%v at %d became %v", size, side, b)
			}
			for row := range 2 {
				for col := range 2 {
					x, y := b.Dx()*(1+2*col)/4, b.Dy()*(1+2*row)/4
					want := corners[min(y*2/b.Dy(), 1)][min(x*2/b.Dx(), 1)]
					if min(b.Dx(), b.Dy()) > 4 && !near(got.At(x, y), want) {
						t.Errorf("%v at %d: %d,%d is %v, want %v", size, side, x, y, got.At(x, y), want)
					}
				}
			}
		}
	}
	checks := image.NewGray(image.Rect(0, 0, 1000, 1000))
	for i := range checks.Pix {
		checks.Pix[i] = byte((i + i/1000) % 2 * 255)
	}
	if r, _, _, _ := fit(checks, 100, 1).At(50, 50).RGBA(); r>>8 < 120 || r>>8 > 135 {
		t.Errorf("a fine chequerboard is not grey but %d", r>>8)
	}
}

func chunk(name string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// bomb is a PNG of a few bytes that claims to be w x h pixels.
func bomb(w, h uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append(append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 6, 0, 0, 0))...), chunk("IEND", nil)...)
}

func TestRefusedContent(t *testing.T) {
	good := encodePNG(t, picture(10, 10))
	for name, c := range map[string]struct {
		data []byte
		word string
	}{
		"empty.png":   {nil, "empty"},
		"drawing.png": {[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "an SVG drawing"},
		"page.png":    {[]byte("\n <!DOCTYPE HTML><script>alert(1)</script>"), "an HTML page"},
		"text.png":    {[]byte("hello"), "text"},
		"doc.png":     {[]byte("%PDF-1.7"), "a PDF"},
		"old.bmp":     {append([]byte("BM"), make([]byte, 60)...), "a BMP"},
		"scan.tiff":   {[]byte("II*\x00aaaaaaaa"), "a TIFF"},
		"phone.heic":  {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"), "a HEIC"},
		"new.avif":    {[]byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00"), "an AVIF"},
		"random.png":  {[]byte("\x00\x01\x02\x03"), "another kind"},
		"head.png":    {good[:20], "damaged"},
		"half.png":    {good[:len(good)/2], "damaged"},
		"head.jpg":    {[]byte("\xff\xd8\xff\xe0"), "damaged"},
		"head.gif":    {[]byte("GIF89a"), "damaged"},
		"head.webp":   {[]byte("RIFF\x04\x00\x00\x00WEBP"), "damaged"},
		"poly.gif":    {[]byte("GIF89a/*<html><script>alert(1)</script>*/=1;"), ""},
		"tail.png":    {append(bytes.Clone(good), "<script>alert(1)</script>"...), "web page"},
		"tail.jpg":    {append(encodeJPEG(t, picture(9, 9), 80), "<HTML ><body onload=x>"...), "web page"},
		"bomb.png":    {bomb(60000, 60000), "60000 x 60000"},
		"bomb2.png":   {bomb(1<<31-1, 1<<31-1), ""},
		"bomb3.png":   {bomb(1<<30, 1), "pixels"},
		"zero.png":    {bomb(0, 10), "damaged"},
		"bomb.gif":    {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;"), "65535 x 65535"},
		"big.png":     {append(bytes.Clone(good), make([]byte, 33<<20)...), "32 MB"},
	} {
		saved, err := Save(t.TempDir(), c.data, name, when)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %+v, %v, want a fault with %q", name, saved, err, c.word)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	f.Add(encodePNG(f, picture(10, 10)))
	f.Add(withOrientation(encodeJPEG(f, picture(16, 8), 80), 6, binary.BigEndian))
	f.Add(encodeGIF(f, 10, 10, 2))
	f.Add(webpLossy)
	f.Add(webpLossless)
	f.Add(bomb(5000, 5000))
	lim := Limits{FileBytes: 1 << 20, Pixels: 1 << 16, Side: 8, Bytes: 4 << 10}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Prepare(data, "x", lim)
		if err == nil && (max(p.W, p.H) > lim.Side || len(p.Data) > lim.Bytes) {
			t.Fatalf("%d x %d, %d bytes", p.W, p.H, len(p.Data))
		}
	})
}

func BenchmarkPrepare(b *testing.B) {
	shot := picture(3840, 2160)
	for i := 0; i < len(shot.Pix); i += 977 {
		shot.Pix[i] ^= 0x40
	}
	for name, data := range map[string][]byte{
		"screenshot-4k.png": encodePNG(b, shot), "photo-12mp.jpg": withOrientation(encodeJPEG(b, picture(4000, 3000), 85), 6, binary.BigEndian), "small.png": encodePNG(b, picture(800, 600)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Prepare(data, name, DefaultLimits); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("thumbnail-"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := thumbnail(data, name, 320, DefaultLimits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
