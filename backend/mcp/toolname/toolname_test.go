package toolname

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	if got := Of("github", "create_issue"); got != "github__create_issue" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for _, n := range [][2]string{
		{"github", "create_issue"}, {"a", "b__c"}, {"a__b", "c"}, {"my server", "x"}, {"my_server", "x"}, {"my-server", "x"}, {"ä", "x"}, {"ö", "x"}, {"", "x"}, {"日本", "語"},
		{strings.Repeat("s", 90), strings.Repeat("t", 90)}, {strings.Repeat("s", 90), strings.Repeat("t", 91)}, {"_a", "b"}, {"a_", "b"}, {"a", "_b"}, {"a", "b_"},
	} {
		name := Of(n[0], n[1])
		if seen[name] || len(name) > longest || !FromServer(name) || plain(name) != name || name != Of(n[0], n[1]) {
			t.Errorf("%q: %q", n, name)
		}
		seen[name] = true
	}
	for _, own := range []string{"read_file", "shell", "ask_user", "", "a__b c"} {
		if FromServer(own) {
			t.Error(own)
		}
	}
}
