package serve

import (
	"bufio"
	"strings"
	"testing"

	"mutsumi/backend/approval"
)

// A message that is too long is refused under its own id, and the next one is read.
func TestLongMessages(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":7,"method":"x","params":"` + strings.Repeat("x", 1<<16) + "\"}\n"
	r := bufio.NewReader(strings.NewReader(long + "{}\n"))
	head, whole, err := readLine(r, 1<<15)
	if whole || err != nil || len(head) != headBytes || string(idIn(head)) != "7" {
		t.Errorf("%d bytes, %v, %v, id %s", len(head), whole, err, idIn(head))
	}
	if next, whole, err := readLine(r, 1<<15); string(next) != "{}\n" || !whole || err != nil {
		t.Errorf("%q, %v, %v", next, whole, err)
	}
	for _, head := range []string{`{"params":{`, `{"method":"id"`, "[", ""} {
		if got := string(idIn([]byte(head))); got != "null" {
			t.Errorf("%s has the id %s", head, got)
		}
	}
}

// A difference that does not fit the file is not applied to it.
func TestPatched(t *testing.T) {
	for _, x := range []struct {
		lines []approval.Line
		want  string
		ok    bool
	}{
		{[]approval.Line{{Op: "@", Text: "@@ -2,2 +2,2 @@"}, {Op: " ", Text: "b"}, {Op: "-", Text: "c"}, {Op: "+", Text: "C"}}, "a\nb\nC\n", true},
		{[]approval.Line{{Op: "@", Text: "@@ -1,0 +2,1 @@"}, {Op: "+", Text: "x"}}, "a\nx\nb\nc\n", true},
		{[]approval.Line{{Op: "@", Text: "@@ -2,1 +2,1 @@"}, {Op: "-", Text: "x"}}, "", false},
		{[]approval.Line{{Op: "@", Text: "@@ -9,1 +2,1 @@"}, {Op: "+", Text: "x"}}, "", false},
		{[]approval.Line{{Op: "@", Text: "elsewhere"}}, "", false},
	} {
		if got, ok := patched("a\nb\nc\n", x.lines); got != x.want || ok != x.ok {
			t.Errorf("%v: %q, %v", x.lines, got, ok)
		}
	}
}
