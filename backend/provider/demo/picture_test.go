package demo_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"mutsumi/backend/chat"
)

func TestImages(t *testing.T) {
	w := newWorld(t)
	picture := func(width, height int, at func(x, y int) color.Color) chat.Part {
		img := image.NewRGBA(image.Rect(0, 0, width, height))
		for y := range height {
			for x := range width {
				img.Set(x, y, at(x, y))
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())}}
	}
	for name, c := range map[string]struct {
		part  chat.Part
		words []string
	}{
		"flat": {picture(300, 200, func(int, int) color.Color { return color.RGBA{215, 40, 40, 255} }), []string{"| Format | png |", "300 × 200 px", "red `#d72828` 100 %", "one colour"}},
		"text": {picture(400, 300, func(x, y int) color.Color {
			if y%20 < 10 && x > 20 && x < 380 && (x/3*7+y/4*3)%5 == 0 {
				return color.Black
			}
			return color.White
		}), []string{"white `#ffffff`", "mostly text"}},
		"photo": {picture(256, 256, func(x, y int) color.Color {
			return color.RGBA{uint8(x), uint8(y), uint8((x*x + y*y*3) / 300), 255}
		}), []string{"a photo"}},
		"transparent": {picture(64, 64, func(x, _ int) color.Color {
			if x < 32 {
				return color.Transparent
			}
			return color.RGBA{0, 0, 0, 255}
		}), []string{"| Transparent | 50 % |", "black"}},
		"broken":  {chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64,iVBORw0KGgo="}}, []string{"no png, jpeg, gif or webp"}},
		"no data": {chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "https://example.org/a.png"}}, []string{"fetches nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			a, called := w.converse(chat.Message{Role: chat.User, Content: chat.Content{Parts: []chat.Part{{Type: chat.PartText, Text: "What is in this picture?"}, c.part}}})
			if len(called) != 0 {
				t.Errorf("called %q", called)
			}
			for _, word := range c.words {
				if !strings.Contains(a.text, word) {
					t.Errorf("no %q in\n%s", word, a.text)
				}
			}
		})
	}
}
