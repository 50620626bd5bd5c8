package media

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	cases := []struct {
		text string
		want []string // targets
	}{
		{"", nil},
		{"no image", nil},
		{"![a](b.png)", []string{"b.png"}},
		{"x ![a](b.png) y ![](c.png) z", []string{"b.png", "c.png"}},
		{"![a](b.png)![c](d.png)", []string{"b.png", "d.png"}},
		{"![a](dir/shot (2).png)", []string{"dir/shot (2).png"}},
		{"![a](x(1(2)).png) )", []string{"x(1(2)).png"}},
		{`![a](x\).png)`, []string{"x).png"}},
		{`![a](x\(.png)`, []string{"x(.png"}},
		{"![a](x(.png)", []string{"x(.png"}}, // not balanced: the first ) ends it, as in the seed
		{"![a](x(.png) and ![b](y.png)", []string{"x(.png", "y.png"}},
		{"![a](<with ) and ( b.png>)", []string{"with ) and ( b.png"}},
		{"![a](<x.png> \"title (1)\")", []string{"x.png"}},
		{"![a](x.png \"title\")", []string{"x.png"}},
		{"![a](x.png 'title')", []string{"x.png"}},
		{"![a]( x.png )", []string{"x.png"}},
		{"![a](file:///tmp/a%20b.png)", []string{"file:///tmp/a%20b.png"}},
		{"![a](data:image/png;base64,AAAA+/=)", []string{"data:image/png;base64,AAAA+/="}},
		{"![a](https://x/y.png)", []string{"https://x/y.png"}},
		{`![a](C:\images\a.png)`, []string{`C:\images\a.png`}},
		{"![图片](中文.png)", []string{"中文.png"}},
		{"![]()", nil},
		{"![a]( )", nil},
		{"![a] (b)", nil},
		{"![a](b", nil},
		{"![a](b\n)", nil},
		{"![a", nil},
		{"[a](b.png)", nil},
		{"! [a](b.png)", nil},
		{"![![a](b.png)", []string{"b.png"}},
		{"![a]![b](c.png)", []string{"c.png"}},
		{"![a\nb](c.png)", []string{"c.png"}},
		{"```\n![a](b.png)\n```", []string{"b.png"}},
		{"![a][b](c.png)", nil},
		{"![a](b) ![", []string{"b"}},
	}
	for _, c := range cases {
		var got []string
		var joined strings.Builder
		for i, p := range Split(c.text) {
			joined.WriteString(p.Text)
			if p.Image {
				got = append(got, p.Target)
			} else if p.Text == "" || i > 0 && !Split(c.text)[i-1].Image {
				t.Errorf("%q: piece %d is empty or follows text", c.text, i)
			}
		}
		if joined.String() != c.text {
			t.Errorf("%q: the pieces make %q", c.text, joined.String())
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: targets %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("x ![a](b (c).png \"t\") ![](<y>) \\![z](w)")
	f.Fuzz(func(t *testing.T, text string) {
		var joined strings.Builder
		for _, p := range Split(text) {
			joined.WriteString(p.Text)
			if p.Image && p.Target == "" {
				t.Fatal("an image without a target")
			}
		}
		if joined.String() != text {
			t.Fatalf("%q became %q", text, joined.String())
		}
	})
}

// BenchmarkSplit: each of these takes ten times as long at ten times the size.
func BenchmarkSplit(b *testing.B) {
	for name, unit := range map[string]string{
		"open": "![", "bracket": "![](", "angle": "![](<", "title": "![](<a>\"", "nested": "![a](((", "prose": "A line of text with (parentheses) and [brackets](x).\n", "links": "![a](b.png) ",
	} {
		for _, size := range []int{100_000, 1_000_000} {
			text := strings.Repeat(unit, size/len(unit))
			b.Run(name+"/"+map[bool]string{true: "100KB", false: "1MB"}[size == 100_000], func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Split(text)
				}
			})
		}
	}
}
