package clip

import "testing"

func TestClip(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"Bytes leaves a short text alone", Bytes("abc", 3), "abc"},
		{"Bytes ends between two characters", Bytes("aé日本", 4), "aé"},
		{"Bytes of invalid bytes ends", Bytes("\x80\x80\x80", 2), ""},
		{"Text leaves a short text alone", Text("abc", 3), "abc"},
		{"Text says that it cut", Text("日本語", 4), "日..."},
		{"Slug keeps letters and digits", Slug(" My “Änder” Agent 2! ", 40), "my-nder-agent-2"},
		{"Slug does not end in a dash", Slug("abc def", 4), "abc"},
		{"Slug of no letters", Slug("日本 !", 40), ""},
		{"OneLine joins lines", OneLine(" a\n\n b\tc "), "a b c"},
		{"Line counts characters", Line("日本語です", 4), "日本語…"},
		{"Line leaves no space before the mark", Line("one two", 5), "one…"},
		{"Line leaves out what is no UTF-8", Line("a\xffb", 9), "ab"},
		{"Plain leaves out what cannot be seen", Plain("a\u202eb\x1b[31mc\u200bd\ue000\ufeff", 20), "ab[31mcd"},
		{"Plain joins lines", Plain("a\r\nb\u2028c", 20), "a b c"},
		{"Sentence ends with a full stop", Sentence("\n no such file \nsecond", 80), "no such file."},
		{"Sentence keeps its own mark", Sentence("why?", 80), "why?"},
		{"Sentence that was cut has a mark", Sentence("abcdef", 4), "abc…"},
		{"Sentence of nothing", Sentence(" \n", 80), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
