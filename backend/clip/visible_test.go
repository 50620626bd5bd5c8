package clip

import "testing"

func TestNothingIsHidden(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\r\nnext":               "plain\ttext\nnext",
		"a\x1b[31mb\x00":                    "a<U+001B>[31mb<U+0000>",
		"a\u202eb\u2066c":                   "a<U+202E>b<U+2066>c",
		"a\U000e0041b":                      "a<U+E0041>b",
		"zero\u200bwidth\ufeff\u2028\u00ad": "zero<U+200B>width<U+FEFF><U+2028><U+00AD>",
		"👩\u200d👧 ❤\ufe0f":                  "👩\u200d👧 ❤\ufe0f",
		"a\xffb":                            "a\uFFFDb",
		"x\ufe01y\u3164":                    "x<U+FE01>y<U+3164>",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := VisibleLine("a\u202e\n b", 20); got != "a<U+202E> b" {
		t.Errorf("%q", got)
	}
}
