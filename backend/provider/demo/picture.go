package demo

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // formats that can be measured
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"net/url"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"
)

// maxPixels limits what is decoded: a small file can claim any size.
const maxPixels = 64 << 20

// measureAll reports on images given by data URIs.
func (t turn) measureAll(uris []string) string {
	var b strings.Builder
	b.WriteString(t.say("I cannot see, but I can measure.\n\n", "我看不见图片，但可以测量它。\n\n"))
	for i, uri := range uris {
		if len(uris) > 1 {
			fmt.Fprintf(&b, t.say("**Image %d**\n\n", "**图片 %d**\n\n"), i+1)
		}
		b.WriteString(t.measure(uri) + "\n")
	}
	return b.String()
}

func (t turn) measure(uri string) string {
	data, err := decodeURI(uri)
	if err != nil {
		return fmt.Sprintf(t.say("It cannot be read: %v.\n", "无法读取：%v。\n"), err)
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Sprintf(t.say("%s that are no png, jpeg, gif or webp.\n", "%s，不是 png、jpeg、gif 或 webp。\n"), size(len(data)))
	}
	var b strings.Builder
	row := func(en, zh, value string) { fmt.Fprintf(&b, "| %s | %s |\n", t.say(en, zh), value) }
	b.WriteString("| | |\n| --- | --- |\n")
	row("Format", "格式", format)
	row("Size", "尺寸", fmt.Sprintf("%d × %d px", c.Width, c.Height))
	row("Bytes", "大小", size(len(data)))
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return b.String() + t.say("\nIt is too large to look into.\n", "\n太大，无法进一步分析。\n")
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return b.String() + fmt.Sprintf(t.say("\nIts inside is damaged: %v.\n", "\n图片内容已损坏：%v。\n"), err)
	}
	l := analyze(img)
	row("Brightness", "亮度", fmt.Sprintf("%d %%", l.brightness))
	if l.transparent > 0 {
		row("Transparent", "透明", fmt.Sprintf("%d %%", l.transparent))
	}
	var colours []string
	for _, s := range l.colours {
		colours = append(colours, fmt.Sprintf("%s %s %d %%", t.say(s.name[0], s.name[1]), inline(s.hex), s.share))
	}
	row("Colours", "主要颜色", strings.Join(colours, ", "))
	row("Looks like", "看起来像", t.say(l.kind[0], l.kind[1]))
	return b.String()
}

// decodeURI returns the bytes of a data URI.
func decodeURI(uri string) ([]byte, error) {
	rest, ok := strings.CutPrefix(uri, "data:")
	if !ok {
		return nil, fmt.Errorf("it is an address, and the offline model fetches nothing")
	}
	head, body, ok := strings.Cut(rest, ",")
	if !ok {
		return nil, fmt.Errorf("the data URI has no data")
	}
	if !strings.HasSuffix(head, ";base64") {
		s, err := url.PathUnescape(body)
		return []byte(s), err
	}
	return base64.StdEncoding.DecodeString(body)
}

// sight is the result of counting the pixels of an image.
type sight struct {
	brightness  int // percent
	transparent int // percent
	colours     []shade
	kind        [2]string // English, Chinese
}

type shade struct {
	name  [2]string
	hex   string
	share int // percent
}

var (
	textLike  = [2]string{"mostly text or a drawing with few colours", "以文字或线条为主"}
	photoLike = [2]string{"a photo or another picture with many colours", "照片或色彩丰富的图片"}
	flat      = [2]string{"an area of one colour", "单色"}
	graphic   = [2]string{"a graphic: a chart, an icon or a window", "图形：图表、图标或窗口"}
)

// samples is how many points per side are sampled.
const samples = 256

// analyze counts colours on a grid, and sharp changes of brightness along whole rows: text has a
// plain background and many of those.
func analyze(img image.Image) sight {
	r := img.Bounds()
	type bucket struct{ n, r, g, b int }
	buckets := map[[3]uint8]*bucket{}
	n, bright, clear := 0, 0, 0
	stepX, stepY := max(1, r.Dx()/samples), max(1, r.Dy()/samples)
	for y := r.Min.Y; y < r.Max.Y; y += stepY {
		for x := r.Min.X; x < r.Max.X; x += stepX {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			n++
			if c.A < 128 {
				clear++
				continue
			}
			key := [3]uint8{c.R >> 5, c.G >> 5, c.B >> 5}
			k := buckets[key]
			if k == nil {
				k = &bucket{}
				buckets[key] = k
			}
			k.n, k.r, k.g, k.b = k.n+1, k.r+int(c.R), k.g+int(c.G), k.b+int(c.B)
			bright += luma(c)
		}
	}
	s := sight{kind: flat}
	if n == 0 {
		return s
	}
	s.transparent = 100 * clear / n
	solid := n - clear
	if solid == 0 {
		return s
	}
	s.brightness = 100 * bright / (255 * solid)
	all := slices.SortedFunc(maps.Values(buckets), func(a, b *bucket) int {
		return cmp.Or(b.n-a.n, a.r-b.r, a.g-b.g)
	})
	covered := 0
	for i, k := range all[:min(len(all), 8)] {
		covered += k.n
		if share := 100 * k.n / solid; i < 5 && (share > 0 || i == 0) {
			c := color.NRGBA{uint8(k.r / k.n), uint8(k.g / k.n), uint8(k.b / k.n), 255}
			s.colours = append(s.colours, shade{colourName(c), fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), share})
		}
	}
	ground := float64(all[0].n) / float64(solid)
	edges := edgeShare(img)
	switch {
	case ground > 0.985 && edges < 0.005:
		s.kind = flat
	case ground > 0.55 && edges > 0.015 && edges < 0.45 && covered*10 > solid*9:
		s.kind = textLike
	case len(all) > 60 && covered*10 < solid*8 || ground < 0.3 && len(all) > 40:
		s.kind = photoLike
	default:
		s.kind = graphic
	}
	return s
}

// edgeShare is the share of neighbours in a row that differ sharply, over at
// most 64 rows and 4096 points a row.
func edgeShare(img image.Image) float64 {
	r := img.Bounds()
	edges, n := 0, 0
	for y := r.Min.Y; y < r.Max.Y; y += max(1, r.Dy()/64) {
		last := -1
		for x := r.Min.X; x < min(r.Max.X, r.Min.X+4096); x++ {
			l := luma(color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA))
			if last >= 0 {
				n++
				if d := l - last; d > 50 || d < -50 {
					edges++
				}
			}
			last = l
		}
	}
	return float64(edges) / float64(max(n, 1))
}

func luma(c color.NRGBA) int { return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000 }

var named = []struct {
	name    [2]string
	r, g, b int
}{
	{[2]string{"white", "白"}, 255, 255, 255}, {[2]string{"light grey", "浅灰"}, 205, 205, 205}, {[2]string{"grey", "灰"}, 128, 128, 128},
	{[2]string{"dark grey", "深灰"}, 64, 64, 64}, {[2]string{"black", "黑"}, 0, 0, 0}, {[2]string{"red", "红"}, 215, 40, 40},
	{[2]string{"orange", "橙"}, 245, 145, 40}, {[2]string{"yellow", "黄"}, 245, 220, 60}, {[2]string{"green", "绿"}, 50, 165, 70},
	{[2]string{"light green", "浅绿"}, 160, 220, 150}, {[2]string{"teal", "青"}, 40, 160, 165}, {[2]string{"light blue", "浅蓝"}, 150, 200, 240},
	{[2]string{"blue", "蓝"}, 50, 100, 215}, {[2]string{"dark blue", "深蓝"}, 25, 40, 100}, {[2]string{"purple", "紫"}, 130, 65, 185},
	{[2]string{"pink", "粉"}, 240, 150, 190}, {[2]string{"brown", "棕"}, 125, 80, 45}, {[2]string{"beige", "米色"}, 235, 220, 195},
}

func colourName(c color.NRGBA) [2]string {
	best, name := 1<<30, named[0].name
	for _, k := range named {
		dr, dg, db := int(c.R)-k.r, int(c.G)-k.g, int(c.B)-k.b
		if d := 2*dr*dr + 4*dg*dg + 3*db*db; d < best {
			best, name = d, k.name
		}
	}
	return name
}
